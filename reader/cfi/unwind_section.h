/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One section of call frame information of a module. Its functions are compiled when they are
 * needed.
 *
 *	functions, by file offset:  [64 functions] [64 functions] [64 functions] ...
 *	                                  |              |
 *	                            unwind table    not asked for
 *
 * The functions are listed when the module is loaded, which is quick. When an address of a block of
 * functions is asked for first, the programs of this block are run and make a table.
 *
 * Threads: one thread opens it; then any number of threads may ask. A thread that finds no table
 * makes one. If two threads do so at once, one of the tables is dropped.
 */
#ifndef TS_READER_CFI_UNWIND_SECTION_H
#define TS_READER_CFI_UNWIND_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "reader/cfi/cfi.h"
#include "reader/cfi/unwind_table.h"

#define UNWIND_BLOCK 64 /* functions */

struct unwind_section {
	struct cfi_section cfi;		    /* bytes: a copy of its own */
	const struct cfi_segment *segments; /* the module's */
	size_t nr_segments;
	struct cfi_functions functions;
	_Atomic(struct unwind_table *) *tables; /* by block; NULL: not asked for */
	size_t nr_blocks;
	_Atomic bool lacks_memory; /* relaxed: rules are missing for want of memory */
};

/* Copies the section of `cfi`. Without memory no rule is known. Accepts a zeroed struct. */
void unwind_section_open(struct unwind_section *s, const struct cfi_section *cfi,
			 const struct cfi_segment *segments, size_t nr_segments);
void unwind_section_release(struct unwind_section *s); /* idempotent; accepts a zeroed one */

/* The rule of a file offset; never NULL. */
const struct unwind_rule *unwind_section_find(struct unwind_section *s, uint64_t offset);
/* The table of a block, which is compiled now if it has not been. NULL: out of memory. */
const struct unwind_table *unwind_section_table(struct unwind_section *s, size_t block);

#endif
