/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times at which samples were lost, for viewers that show time: a pause in them must not pass for
 * a pause of the program.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_TIMED_GAPS_H
#define TS_READER_PAGE_TIMED_GAPS_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/page/timed_samples.h"
#include "reader/trust/overview.h"

struct timed_gap {
	uint64_t from_ns, until_ns; /* as timed_sample.time_ns */
	uint64_t nr_lost, nr_kept;  /* samples of that time */
	uint32_t capture;
};

struct timed_gaps {
	/* owned; by capture and time: spans of 1, 2, 4 ... seconds, at most 256 of a capture */
	struct timed_gap *items;
	size_t nr, cap;
};

/*
 * A gap before the first sample or behind the last one is a moment there; if times are selected, there are none of
 * these. captures: by number, samples->nr_captures of them. 0, or -errno with *err.
 */
int timed_gaps_init(struct timed_gaps *g, const struct overview *captures,
		    const struct timed_samples *samples, struct ts_error *err);
void timed_gaps_release(struct timed_gaps *g); /* accepts a zeroed one; idempotent */

#endif
