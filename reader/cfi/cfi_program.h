/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of a function: a few bytes that say how its frame changes from instruction to
 * instruction. The program of the CIE runs first, then the function's own. When an instruction
 * advances the address, the rule that held up to there becomes a range of the table.
 *
 * A program runs once through its bytes, and an unknown instruction ends it.
 *
 * Threads: each call works on its own table.
 *
 * Source: DWARF 5, section 6.4.2.
 */
#ifndef TS_READER_CFI_CFI_PROGRAM_H
#define TS_READER_CFI_CFI_PROGRAM_H

#include "reader/cfi/cfi_entry.h"
#include "reader/cfi/unwind_table.h"

struct cfi_segment { /* code of the module */
	uint64_t vaddr, offset, size;
};

struct cfi_rules { /* where the rules go */
	struct unwind_table *table;
	const struct cfi_segment *segments; /* ranges outside of them are dropped */
	size_t nr_segments;
};

/* Adds the rules of a function. False: the program was not understood; the rules up to there stay. */
bool cfi_program_run(const struct cfi_rules *rules, const struct cfi_fde *fde);

#endif
