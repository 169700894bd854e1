/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information: the programs of the functions in .eh_frame and .debug_frame are run, and
 * make an unwind table.
 *
 * cfi_entry.h reads the entries of a section, cfi_program.h runs the programs, cfi_bytes.h takes
 * numbers out of both. Sections are hostile: an entry or a program that is not understood ends its
 * function, not the table.
 *
 * Threads: each call works on its own table.
 *
 * Source: DWARF 5, section 6.4; Linux Standard Base, .eh_frame.
 */
#ifndef TS_READER_CFI_CFI_H
#define TS_READER_CFI_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/cfi/cfi_entry.h"
#include "reader/cfi/cfi_program.h"
#include "reader/cfi/unwind_table.h"

struct cfi_function {
	uint64_t offset; /* of its first instruction, in the file */
	uint64_t entry;	 /* offset of its FDE in the section */
};

struct cfi_functions {
	struct cfi_function *items; /* by offset */
	size_t nr, cap;
	bool lacks_memory; /* the list is not whole */
};

/*
 * Lists the functions of a section that lie in these segments. The list ends early at an entry that
 * cannot be read, or without memory.
 */
void cfi_list(struct cfi_functions *f, const struct cfi_section *section,
	      const struct cfi_segment *segments, size_t nr_segments);
void cfi_functions_release(struct cfi_functions *f); /* accepts a zeroed one; idempotent */

/*
 * Adds the rules of functions of the section to a table. Returns the number of functions that could
 * not be understood.
 */
size_t cfi_compile(struct unwind_table *t, const struct cfi_section *section,
		   const struct cfi_segment *segments, size_t nr_segments,
		   const struct cfi_function *functions, size_t nr);

#endif
