/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that were read at samples (-e '{a,b}:S'): by how much each has grown since it was read
 * before.
 *
 * Such a sample has the values of all counters of its group. As with perf it stands for a sample of
 * each of them, whose period is the difference to the value before; a counter that has not counted
 * since has none. So a sample means nothing without the one before it, which may be in another
 * chunk: all samples are walked once before, and of each chunk it is kept what its counters began
 * and ended with. Then chunks and windows of time can be read in any order by any thread.
 *
 *	deltas_open()    the walk, in parallel; nothing where no event is read
 *	delta_begin()    in front of a chunk, or of a window of time, in the order of time
 *	delta_take()     a sample: how many it stands for
 *	delta_give()     each of them
 *
 * A counter is known by its id, which is in one ring; where tasks inherit it (Linux 6.12) each thread
 * has one of its own by that id.
 *
 * Memory: a few words for each counter in each chunk.
 *
 * Threads: deltas_open() uses several; `struct deltas` is immutable then. A `struct delta_walk`
 * belongs to one thread.
 */
#ifndef TS_READER_SAMPLES_DELTAS_H
#define TS_READER_SAMPLES_DELTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/record.h"
#include "reader/chunks/chunk_load.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/range_scan.h"
#include "reader/tasks/hash_index.h"

/* What a counter is known by; tid 0 where it is not a thread's own. */
struct delta_counter {
	uint64_t id;
	uint32_t tid;
};

struct delta_span { /* of a counter in a chunk */
	struct delta_counter counter;
	uint32_t chunk; /* index into table->chunks */
	uint64_t first_ns, last_ns;
	uint64_t last_value;
};

struct deltas {
	const struct ts_events *events;
	const struct chunk_table *table; /* with everything: the capture's, or `whole` */
	struct chunk_table whole;	 /* where the capture's has only what was selected */
	struct range_scan_layout layout;
	bool are_of_cpus;	  /* whatever runs there: no thread has a counter of its own */
	struct delta_span *spans; /* owned; by counter, then first_ns, then chunk */
	size_t nr;
};

/* Are counters read at samples of any of these events? */
bool deltas_are_in(const struct ts_events *events);
/* Zeroed where no event is read. The table must outlive it. -ENOMEM; damage is left to who reads on. */
int deltas_open(struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		struct ts_error *err);
void deltas_close(struct deltas *r); /* accepts a zeroed one; idempotent */

struct delta_last { /* value of a counter */
	struct delta_counter counter;
	uint64_t value, time_ns;
};

struct delta_member { /* a sample that a sample stands for */
	uint32_t event;
	uint64_t id, period;
};

struct delta_moment { /* of a sample */
	uint64_t time_ns, offset;
};

struct delta_walk {		    /* one thread's */
	const struct deltas *all;   /* NULL: every sample stands for itself */
	uint64_t from_ns;	    /* where the stretch begins */
	struct ts_hash_index index; /* of last, by counter */
	struct delta_last *last;
	size_t nr_last, cap_last;
	struct delta_member *members; /* of the sample that was taken */
	size_t cap_members;
	struct delta_moment *order; /* of a chunk's samples */
	size_t nr_order, cap_order;
	struct chunk_buffer buf; /* for what lies before the stretch */
	uint64_t nr_unknown;	 /* counters of no event of the header */
};

/* Of a zeroed one. r has no spans where nothing is read, and may be NULL. */
void delta_init(struct delta_walk *d, const struct deltas *r);
/* A new stretch: what follows is of this time and later. 0: a chunk from its beginning, or everything. */
void delta_begin(struct delta_walk *d, uint64_t from_ns);
/*
 * A sample and where it stands: stream, and offset in its file (of the chunk, where that is
 * compressed). The number of samples that it stands for, which is 1 where nothing is read at it.
 * -ENOMEM.
 */
int delta_take(struct delta_walk *d, const struct ts_sample *sample, uint32_t stream,
	       uint64_t offset);
/* Makes *sample, which was taken, the one with this number. */
void delta_give(const struct delta_walk *d, int i, struct ts_sample *sample);
/* Lists the samples of a chunk's records by time in d->order. -ENOMEM. */
int delta_list(struct delta_walk *d, const uint8_t *records, size_t len);
void delta_release(struct delta_walk *d); /* accepts a zeroed one; idempotent */

/*
 * Counts, by event of the capture, the samples that those of the table's selection stand for. What
 * stands in event_samples of events that are read is replaced. -ENOMEM.
 */
int deltas_count(const struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		 uint64_t *event_samples, struct ts_error *err);

#endif
