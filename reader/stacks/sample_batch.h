/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples that a log is gathering: when there are enough, they are sorted by thread and event, and in the order
 * of time, while all of them are in the cache of a CPU.
 *
 *	as they come:  7/7 at 10, 7/9 at 12, 7/7 at 20, 7/7 at 15
 *	sorted:        7/7 at 10, 15, 20 | 7/9 at 12
 *
 * Groups are in the order of their first samples as they came.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_STACKS_SAMPLE_BATCH_H
#define TS_READER_STACKS_SAMPLE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/memory.h"

struct logged_sample {
	uint64_t time_ns; /* of the clock of the capture */
	uint64_t period;
	uint32_t pid, tid;
	uint32_t stack; /* a number of the log */
	uint16_t cpu;
};

struct sample_group { /* of a thread and an event */
	uint32_t pid, tid, event;
	uint32_t first, nr; /* where it is when sorted */
	bool is_ordered;    /* its samples came in the order of time */
	uint64_t last_ns;   /* of the sample that came last */
};

struct sample_batch {
	struct logged_sample *items; /* owned; as they came */
	uint32_t *groups_of;	     /* owned; the group of each item */
	struct sample_group *groups; /* owned */
	uint32_t *slots; /* owned; group + 1, 0 free; a power of two, twice as many as items */
	uint32_t nr, cap, nr_groups;
	uint32_t last; /* group of the sample that came last */
	uint64_t key;  /* of the slots; see common/base/keyed_hash.h */
};

#define SAMPLE_BATCH_BYTES 96u /* of memory for each sample, at most */

/* cap: the most samples, a power of two. 0 or -ENOMEM; release in both cases. */
int sample_batch_init(struct sample_batch *b, struct memory *memory, uint32_t cap);
void sample_batch_release(struct sample_batch *b); /* accepts a zeroed one; idempotent */

static inline bool sample_batch_is_full(const struct sample_batch *b)
{
	return b->nr == b->cap;
}

/* Adds a sample to a batch that is not full. */
void sample_batch_add(struct sample_batch *b, const struct logged_sample *sample, uint32_t event);
/* Writes all samples to `to`, sorted, and sets first and nr of the groups. Afterwards the items are undefined. */
void sample_batch_sort(struct sample_batch *b, struct logged_sample *to);
void sample_batch_clear(struct sample_batch *b);

#endif
