/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram of durations, in powers of two of a microsecond.
 *
 * Bucket 0 counts durations of less than 1 us. Bucket b counts durations from 2^(b-1) us to less
 * than 2^b us. The last bucket counts all longer ones. Adding is a shift and a plain store. A
 * percentile is the upper end of its bucket. So it is too high by less than a factor of two, and it
 * never exceeds the maximum.
 *
 * Threads: one owner adds. Any thread may read meanwhile (common/base/counter.h).
 */
#ifndef TS_STREAMER_WRITER_HISTOGRAM_H
#define TS_STREAMER_WRITER_HISTOGRAM_H

#include "common/base/counter.h"

#define HISTOGRAM_BUCKETS 26 /* the last but one ends at 2^24 us, 17 s */

struct histogram { /* zeroed: empty */
	struct ts_counter buckets[HISTOGRAM_BUCKETS];
	struct ts_counter max_ns;
};

/* A snapshot of a histogram. */
struct histogram_counts {
	uint64_t buckets[HISTOGRAM_BUCKETS];
	uint64_t nr; /* sum */
	uint64_t max_ns;
};

void histogram_add(struct histogram *h, uint64_t ns);
void histogram_read(const struct histogram *h, struct histogram_counts *ret);
/* The duration that `percent` of all durations did not exceed; 0 if there is none. */
uint64_t histogram_percentile_ns(const struct histogram_counts *c, double percent);

#endif
