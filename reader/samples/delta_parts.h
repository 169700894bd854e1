/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What deltas.c and delta_walk.c share; of no use to others.
 *
 * Threads: any number may call any of these; delta_with_room() is for the owner of the array, a
 * buffer is its thread's.
 */
#ifndef TS_READER_SAMPLES_DELTA_PARTS_H
#define TS_READER_SAMPLES_DELTA_PARTS_H

#include "reader/runtime/spill.h"
#include "reader/samples/deltas.h"
#include "reader/samples/read_values.h"

/* The counter that was read with this id at a sample. */
struct delta_counter delta_counter_of(const struct deltas *deltas, const struct ts_sample *sample,
				      uint64_t id);
uint32_t delta_hash(const struct delta_counter *c);
/* For qsort(3): by counter, then first_ns, then chunk. */
int delta_compare_spans(const void *a, const void *b);

/* Is told of a value that was read at a sample; what is not 0 ends the walk. */
typedef int (*delta_value_fn)(void *arg, const struct delta_counter *counter, uint64_t value,
			      uint64_t time_ns);

/*
 * Tells of all values that were read at samples of a chunk of deltas->table, in the order of its
 * records; of what is damaged or cannot be decoded, nothing. 0, -ENOMEM or what tell() returned.
 */
int delta_each_value(const struct deltas *deltas, uint32_t chunk, struct chunk_buffer *buf,
		     delta_value_fn tell, void *arg);

/* The array with room for one more; NULL: out of memory, and it is as it was. */
void *delta_with_room(struct spill *spill, void *items, size_t nr, size_t *cap, size_t bytes);

static inline bool delta_is_same(const struct delta_counter *a, const struct delta_counter *b)
{
	return a->id == b->id && a->tid == b->tid;
}

#endif
