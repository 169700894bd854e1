/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What deltas.c and delta_walk.c share; of no use to others.
 *
 * Threads: pure functions, but delta_with_room(), which is for the owner of the array.
 */
#ifndef TS_READER_DELTA_PARTS_H
#define TS_READER_DELTA_PARTS_H

#include "common/read_values.h"
#include "reader/deltas.h"
#include "reader/spill.h"

/* The counter that was read with this id at a sample. */
struct delta_counter delta_counter_of(const struct deltas *deltas, const struct ts_sample *sample,
				      uint64_t id);
uint32_t delta_hash(const struct delta_counter *c);
/* For qsort(3): by counter, then first_ns, then chunk. */
int delta_compare_spans(const void *a, const void *b);

/* Takes a sample with counters apart; false: it is none, or cannot be decoded. */
bool delta_decode(const struct ts_events *events, const struct perf_event_header *hdr,
		  struct ts_sample *ret_sample, struct ts_read_values *ret_values);

/* The array with room for one more; NULL: out of memory, and it is as it was. */
void *delta_with_room(struct spill *spill, void *items, size_t nr, size_t *cap, size_t bytes);

static inline bool delta_is_same(const struct delta_counter *a, const struct delta_counter *b)
{
	return a->id == b->id && a->tid == b->tid;
}

#endif
