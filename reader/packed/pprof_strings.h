/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The string table of a profile of pprof or OTLP: each text once. Number 0 is "". The names of functions
 * are added first, so the number of a name is the id of its function, too; then commands and other texts.
 *
 * Texts are UTF-8 without control characters: other bytes of a name became '?'.
 *
 * Threads: one thread.
 */
#ifndef TS_READER_PACKED_PPROF_STRINGS_H
#define TS_READER_PACKED_PPROF_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "reader/page/frame_looks.h"
#include "reader/runtime/name_table.h"

struct pprof_strings {
	const struct frame_looks *looks;
	struct name_table table;
	uint32_t *of_look;     /* owned; number of the name, by look; 0: not added yet */
	uint32_t nr_functions; /* numbers 1 .. nr_functions; set by pprof_strings_add_names() */
};

/* The looks must outlive *s. 0 or -ENOMEM; release in both cases. */
int pprof_strings_init(struct pprof_strings *s, const struct frame_looks *looks,
		       struct memory *memory);
/* Adds the names of all looks: functions, then commands. 0 or -ENOMEM. */
int pprof_strings_add_names(struct pprof_strings *s);
/* The number of the name of a look, added if new; NAME_TABLE_NONE: out of memory. */
uint32_t pprof_strings_name(struct pprof_strings *s, uint32_t look);
/* The number of a text, added if new; NAME_TABLE_NONE: out of memory. */
uint32_t pprof_strings_add(struct pprof_strings *s, const char *text);
/* The same for the first `len` bytes. */
uint32_t pprof_strings_add_n(struct pprof_strings *s, const char *text, size_t len);
void pprof_strings_release(struct pprof_strings *s); /* accepts a zeroed one; idempotent */

#endif
