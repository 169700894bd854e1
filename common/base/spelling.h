/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of some names was meant by a word that is none of them: the one that the fewest slips of a
 * typing hand make of it. A slip is a letter too many, too few, another one, or two exchanged.
 *
 *	struct ts_spelling near = {.word = "cycels"};
 *	ts_spelling_try(&near, "cycles");
 *	if (ts_spelling_found(&near)) ...
 *
 * Threads: one a search.
 */
#ifndef TS_COMMON_BASE_SPELLING_H
#define TS_COMMON_BASE_SPELLING_H

#include <stddef.h>

#define TS_SPELLING_BYTES_MAX 64 /* longer names are not looked at */

struct ts_spelling {
	const char *word;
	char name[TS_SPELLING_BYTES_MAX]; /* the best so far; "": none */
	size_t nr_slips;		  /* of it */
};

/* A name that may be it; the first of equally good ones stays. */
void ts_spelling_try(struct ts_spelling *near, const char *name);
/* The best one; NULL: none is near, which is at most two slips, and one in three letters. */
const char *ts_spelling_found(const struct ts_spelling *near);

#endif
