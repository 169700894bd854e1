/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to deltas.c and delta_walk.c.
 *
 * Threads: any number of threads may call these functions. delta_with_room() is for the owner of
 * the array; a chunk buffer belongs to one thread.
 */
#ifndef TS_READER_SAMPLES_DELTA_PARTS_H
#define TS_READER_SAMPLES_DELTA_PARTS_H

#include "reader/runtime/memory.h"
#include "reader/samples/deltas.h"
#include "reader/samples/read_values.h"

/* Returns the key of the counter that a sample read under this id. */
struct delta_counter delta_counter_of(const struct deltas *deltas, const struct ts_sample *sample,
				      uint64_t id);
/* Its hash in an index. */
uint32_t delta_hash(struct hash_index *index, const struct delta_counter *c);
/* For qsort(3): by counter, then first_ns, then chunk. */
int delta_compare_spans(const void *a, const void *b);

/* Called for each value that was read at a sample. A result other than 0 ends the walk. */
typedef int (*delta_value_fn)(void *arg, const struct delta_counter *counter, uint64_t value,
			      uint64_t time_ns);

/*
 * Calls tell() for all values that were read at samples of a chunk of deltas->table, in the order
 * of its records. Damaged chunks and samples that cannot be decoded are skipped. Returns 0, -ENOMEM
 * or the result of tell().
 */
int delta_each_value(const struct deltas *deltas, uint32_t chunk, struct chunk_buffer *buf,
		     delta_value_fn tell, void *arg);

/* Returns the array with room for one more item. NULL: out of memory; the array is unchanged. */
void *delta_with_room(struct memory *memory, void *items, size_t nr, size_t *cap, size_t bytes);

static inline bool delta_is_same(const struct delta_counter *a, const struct delta_counter *b)
{
	return a->id == b->id && a->tid == b->tid;
}

#endif
