/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of a capture that the user asked for: "START,STOP" in seconds, or shares of the whole.
 *
 *	12.5,13       from 12.5 s to 13 s, on the clock of the capture; either may be left out
 *	"1,2 5,6"     several, in order, with spaces between
 *	10%-20%       a share of the time from the first to the last sample; several with commas
 *	10%/2         the second slice of 10 %; "10%" alone is the first
 *
 * Both ends belong to a range, but a share ends 1 ns before the next one begins. Syntax and meaning
 * are those of perf report --time.
 *
 * Threads: immutable once parsed.
 */
#ifndef TS_READER_CHUNKS_TIME_RANGES_H
#define TS_READER_CHUNKS_TIME_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct time_range {
	uint64_t from_ns, to_ns; /* both inclusive; UINT64_MAX: to the end */
};

struct time_ranges {
	struct time_range *items; /* none: all times */
	size_t nr;
};

/* Does the text have shares? They need the times of the first and the last sample. */
bool time_ranges_are_shares(const char *text);
/*
 * Parses a text. first_ns and last_ns (of samples) matter to shares only. -EINVAL with a sentence,
 * -ENOMEM.
 */
int time_ranges_parse(struct time_ranges *r, const char *text, uint64_t first_ns, uint64_t last_ns,
		      struct ts_error *err);
/*
 * Cuts the ranges to [from_ns, to_ns]; without ranges (all times) this becomes the only one. 0 or
 * -ENOMEM.
 */
int time_ranges_clip(struct time_ranges *r, uint64_t from_ns, uint64_t to_ns);
void time_ranges_release(struct time_ranges *r); /* accepts a zeroed one; idempotent */

/* Is any time of [from_ns, to_ns] asked for? */
bool time_ranges_overlap(const struct time_ranges *r, uint64_t from_ns, uint64_t to_ns);
/* A record without a time (0) always counts, as with perf. */
static inline bool time_ranges_take(const struct time_ranges *r, uint64_t time_ns)
{
	return !r->nr || !time_ns || time_ranges_overlap(r, time_ns, time_ns);
}

#endif
