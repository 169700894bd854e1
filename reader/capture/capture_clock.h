/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock that gave the records of a capture their times, and the wall clock beside it.
 *
 * perf and tstream note one moment in both clocks (the feature CLOCK_DATA), if the clock was chosen.
 * Otherwise times are those of perf's own clock, which nothing outside of the kernel can read; then the
 * moment at which the recorder began may stand for it.
 *
 * Threads: functions of constant data.
 */
#ifndef TS_READER_CAPTURE_CAPTURE_CLOCK_H
#define TS_READER_CAPTURE_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/header.h"

#define CAPTURE_CLOCK_PERF (-1) /* perf's own */

struct capture_clock {
	int id;	       /* CLOCK_MONOTONIC ... of clock_gettime(2), or CAPTURE_CLOCK_PERF */
	bool has_wall; /* one moment is known in both clocks: */
	uint64_t wall_ns, then_ns; /* since 1970, and of this clock */
};

struct capture_clock capture_clock_of(const struct ts_header *header);
/* start_ns: the wall clock when the recorder began (0: not noted), at about first_ns of this clock. */
void capture_clock_take_start(struct capture_clock *c, uint64_t start_ns, uint64_t first_ns);
/* A time of this clock plus this is one of the wall clock; the sum may wrap. 0: unknown. */
uint64_t capture_clock_offset_ns(const struct capture_clock *c);
/* A time of this clock on the wall clock, in ns since 1970; 0: unknown, or before 1970. */
uint64_t capture_clock_wall_ns(const struct capture_clock *c, uint64_t time_ns);

#endif
