/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the name that a mistyped word was probably meant to be: the name with the fewest slips. A
 * slip is a letter too many, a letter too few, another letter, or two letters exchanged. A few
 * words of the kernel have another name here and in perf: `tgid` means `pid`, though `tid` is
 * nearer.
 *
 *	struct ts_spelling near = {.word = "cycels"};
 *	ts_spelling_try(&near, "cycles");
 *	if (ts_spelling_found(&near)) ...
 *
 * Threads: one for each search.
 */
#ifndef TS_COMMON_BASE_SPELLING_H
#define TS_COMMON_BASE_SPELLING_H

#include <stddef.h>

#define TS_SPELLING_BYTES_MAX 64 /* longer names are skipped */

struct ts_spelling {
	const char *word;
	char name[TS_SPELLING_BYTES_MAX]; /* the best so far; "": none */
	size_t nr_slips;		  /* of that name */
};

/* Tries one name; the first of equally good names stays. */
void ts_spelling_try(struct ts_spelling *near, const char *name);
/*
 * The best name, or NULL if none is near. Near means at most two slips, and at most one slip in
 * three letters.
 */
const char *ts_spelling_found(const struct ts_spelling *near);

#endif
