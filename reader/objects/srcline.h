/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines and inlined functions of a module, from its DWARF.
 *
 *	file offset -> compilation unit (ranges of all of them, sorted) -> line table -> file:line
 *	                   -> function (ranges of the unit's, sorted)   -> inlined functions
 *
 * The functions and lines of a unit are read when the first address of it is asked for. The result
 * for an address is remembered.
 *
 * Threads: the caller holds the module's lock, because the handles of libdw belong to no thread.
 * Results are constant and live as long as the struct.
 *
 * Source: DWARF 5, sections 2.17, 3.3.8 and 6.2.
 */
#ifndef TS_READER_OBJECTS_SRCLINE_H
#define TS_READER_OBJECTS_SRCLINE_H

#include <stddef.h>
#include <stdint.h>

#include "reader/objects/elf_file.h"

#define SRCLINE_DEPTH 64 /* functions at an address, one inlined into the other */

struct srcline_frame {
	const char *function; /* as in the file, mangled; NULL: not inlined, use its symbol */
	const char *dir;      /* folder that `file` is relative to; NULL: `file` is whole */
	const char *file;     /* its path as in DWARF; NULL: unknown */
	int line;	      /* line of the address, or of the inlined call */
};

/* The functions at an address, innermost first; the last one is not inlined. */
struct srcline_place {
	uint64_t offset; /* of the address in the file */
	size_t nr;	 /* 0: nothing is known */
	struct srcline_frame frames[];
};

struct srcline;

/* fd -1: there is none. */
struct srcline_files {
	struct elf_file object, debug;
	struct elf_file other; /* has a part of the DWARF (.gnu_debugaltlink) */
};

/* Takes over the files, also if it fails. NULL: no lines, or no memory; err has the reason. */
struct srcline *srcline_open(struct srcline_files *files, struct ts_error *err);
void srcline_close(struct srcline *s); /* accepts NULL */

/*
 * The reason why answers may be missing that do not depend on the file, as symbol_fault_note() keeps
 * it; 0: none.
 */
int srcline_fault(const struct srcline *s);
/* NULL: nothing is known of this file offset, or out of memory. */
const struct srcline_place *srcline_find(struct srcline *s, uint64_t offset);

#endif
