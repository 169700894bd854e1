/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinds code of a jitdump file by the .eh_frame that the file has for each function.
 *
 * The addresses in an .eh_frame assume that it lies behind the code, at the next multiple of 8, as
 * `perf inject --jit` lays it. So the code is assumed to lie at its offset in the file. Addresses
 * are then file offsets, as in all questions to a module. The information of a function is read
 * when an address of it is asked for.
 *
 * Threads: one thread loads it; then any number of threads may ask.
 */
#ifndef TS_READER_SYMBOLS_JIT_UNWIND_H
#define TS_READER_SYMBOLS_JIT_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/cfi/unwind_section.h"
#include "reader/objects/harmless.h"

struct jit_unwind_code {
	struct cfi_segment code;		  /* vaddr = offset */
	uint64_t at, bytes;			  /* of its information in `info` */
	_Atomic(struct unwind_section *) section; /* NULL: not asked for */
};

struct jit_unwind {
	struct jit_unwind_code *items; /* by offset of the code */
	size_t nr, cap;
	struct ts_bytes info;
	int fault;		   /* of reading, as symbol_fault_note() keeps it */
	_Atomic bool lacks_memory; /* relaxed: a section was not made */
};

/*
 * Reads a file that jitdump_find() found. If it cannot be read further, or without memory, the rest
 * is unknown.
 */
void jit_unwind_load(struct jit_unwind *u, const char *path, const struct harmless *how);
void jit_unwind_release(struct jit_unwind *u); /* accepts a zeroed one; idempotent */

/* The rule of a file offset; never NULL. */
const struct unwind_rule *jit_unwind_find(struct jit_unwind *u, uint64_t offset);
/* The reason why rules are missing, as symbol_fault_note() keeps it; 0: none. No thread asks. */
int jit_unwind_fault(const struct jit_unwind *u);

#endif
