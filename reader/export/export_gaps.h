/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times at which samples were lost, for viewers that show time: a pause in them must not pass for
 * a pause of the program.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_EXPORT_EXPORT_GAPS_H
#define TS_READER_EXPORT_EXPORT_GAPS_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/page/timed_samples.h"
#include "reader/report/report_run.h"

struct export_gap {
	uint64_t from_ns, until_ns; /* as timed_sample.time_ns */
	uint64_t nr_lost, nr_kept;  /* samples of that time */
	uint32_t capture;
};

struct export_gaps {
	/* owned; by capture and time: spans of 1, 2, 4 ... seconds, at most 256 of a capture */
	struct export_gap *items;
	size_t nr, cap;
};

/* Of gaps that begin before the last sample and end behind the first. 0, or -errno with *err. */
int export_gaps_init(struct export_gaps *g, const struct report_run *r,
		     const struct timed_samples *samples, struct ts_error *err);
void export_gaps_release(struct export_gaps *g); /* accepts a zeroed one; idempotent */

#endif
