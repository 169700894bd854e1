/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long something took, counted in powers of two of a microsecond.
 *
 * Bucket 0 counts what took less than 1 us, bucket b what took 2^(b-1) us to less than 2^b us, the
 * last one all that took longer. Adding is a shift and a plain store; a percentile is the upper
 * end of its bucket, so it is too high by less than a factor of two, and never above the maximum.
 *
 * Threads: add for the one owner; read for any thread, while it grows (common/base/counter.h).
 */
#ifndef TS_STREAMER_WRITER_HISTOGRAM_H
#define TS_STREAMER_WRITER_HISTOGRAM_H

#include "common/base/counter.h"

#define TS_HISTOGRAM_BUCKETS 26 /* the last but one ends at 2^24 us, 17 s */

struct ts_histogram { /* zeroed: empty */
	struct ts_counter buckets[TS_HISTOGRAM_BUCKETS];
	struct ts_counter max_ns;
};

/* What was in it at some moment. */
struct ts_histogram_counts {
	uint64_t buckets[TS_HISTOGRAM_BUCKETS];
	uint64_t nr; /* sum */
	uint64_t max_ns;
};

void ts_histogram_add(struct ts_histogram *h, uint64_t ns);
void ts_histogram_read(const struct ts_histogram *h, struct ts_histogram_counts *ret);
/* The time that `percent` of all did not exceed; 0 when there is none. */
uint64_t ts_histogram_percentile_ns(const struct ts_histogram_counts *c, double percent);

#endif
