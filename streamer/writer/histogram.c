// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/histogram.h"

#include "common/base/clock.h"

static unsigned int bucket_of(uint64_t ns)
{
	uint64_t us = ns / TS_NS_PER_US;
	unsigned int bucket = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	ts_counter_add(&h->buckets[bucket_of(ns)], 1);
	ts_counter_max(&h->max_ns, ns);
}

void histogram_read(const struct histogram *h, struct histogram_counts *ret)
{
	*ret = (struct histogram_counts){.max_ns = ts_counter_read(&h->max_ns)};
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		ret->buckets[i] = ts_counter_read(&h->buckets[i]);
		ret->nr += ret->buckets[i];
	}
}

uint64_t histogram_percentile_ns(const struct histogram_counts *c, double percent)
{
	uint64_t below = 0;

	for (unsigned int i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		uint64_t end_ns = TS_NS_PER_US << i;

		below += c->buckets[i];
		if (c->nr && (double)below * 100.0 >= percent * (double)c->nr)
			return end_ns < c->max_ns ? end_ns : c->max_ns;
	}
	return c->max_ns;
}
