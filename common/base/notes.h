/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person should know although nothing failed: "CPU 5 is offline and left out".
 *
 * Whoever decides such a thing adds a sentence here; the command prints them, each on a line. The
 * same sentence is kept once. Running out of memory drops a note, never the work.
 *
 * Threads: one owner at a time.
 */
#ifndef TS_COMMON_BASE_NOTES_H
#define TS_COMMON_BASE_NOTES_H

#include <stddef.h>

struct ts_notes {
	char **items; /* owned */
	size_t nr;
};

/* `notes` may be NULL: then nobody wants to know. */
void ts_notes_add(struct ts_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ts_notes_release(struct ts_notes *notes); /* frees; accepts a zeroed one; idempotent */

#endif
