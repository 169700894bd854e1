/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person should know although nothing failed: "CPU 5 is offline and left out".
 *
 * Whoever decides such a thing adds a sentence here; the command prints them, each on a line.
 * Running out of memory drops a note, never the work.
 *
 * A list holds notes or warnings, never both: notes are not printed with -q, warnings always are.
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

/* Keeps the same sentence once. `notes` may be NULL: then nobody wants to know. */
void ts_notes_add(struct ts_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Keeps it also where it is there already: of another thing of the same name. */
void ts_notes_add_again(struct ts_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ts_notes_release(struct ts_notes *notes); /* frees; accepts a zeroed one; idempotent */

#endif
