/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences that a person should read although nothing failed: "CPU 5 is offline and left out".
 *
 * The code that decides such a thing adds a sentence; the command prints all of them, each on a
 * line. If memory runs out, a note is dropped and the work goes on.
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

/* Adds a sentence, unless the list has it already. `notes` may be NULL: then nothing is kept. */
void ts_notes_add(struct ts_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Adds a sentence even if the list has it: the second one is about another thing of the same name.
 */
void ts_notes_add_again(struct ts_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ts_notes_release(struct ts_notes *notes); /* frees; accepts a zeroed one; idempotent */

#endif
