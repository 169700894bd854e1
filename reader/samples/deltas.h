/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that were read at samples (-e '{a,b}:S'): how much each has grown since it was read
 * before.
 *
 * Such a sample has the values of all counters of its group. As with perf, it stands for one sample
 * of each counter. The period of that sample is the difference to the value before; a counter that
 * has not grown has no sample. The sample before may be in another chunk. Therefore one walk over
 * all samples first keeps, for each chunk, the first time, the last time and the last value of each
 * counter. Afterwards any thread can read chunks and windows of time in any order.
 *
 *	deltas_open()    the first walk, in parallel; does nothing if no event reads counters
 *	delta_begin()    before a chunk or a window of time; samples then follow by time
 *	delta_take()     takes a sample and returns how many samples it stands for
 *	delta_give()     returns each of these
 *
 * The key of a counter is its id, which belongs to one ring. If tasks inherit the counter (Linux
 * 6.12), each thread has a counter of its own under that id.
 *
 * Memory: a few words for each counter in each chunk.
 *
 * Threads: deltas_open() uses several; afterwards `struct deltas` is immutable. A `struct
 * delta_walk` belongs to one thread.
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
#include "reader/chunks/range_read.h"
#include "reader/tasks/hash_index.h"

/* The key of a counter; tid is 0 unless each thread has its own. */
struct delta_counter {
	uint64_t id;
	uint32_t tid;
};

struct delta_span { /* the values of one counter in one chunk */
	struct delta_counter counter;
	uint32_t chunk; /* index into table->chunks */
	uint64_t first_ns, last_ns;
	uint64_t last_value;
};

struct deltas {
	const struct ts_events *events;
	const struct chunk_table *table; /* has all chunks: the caller's table, or `whole` */
	struct chunk_table whole;	 /* all chunks, if the table of the caller is a selection */
	struct range_layout layout;
	bool are_of_cpus;	  /* events count CPUs: no thread has a counter of its own */
	struct delta_span *spans; /* owned; by counter, then first_ns, then chunk */
	size_t nr;
};

/* Are counters read at samples of any of these events? */
bool deltas_are_in(const struct ts_events *events);
/*
 * Leaves *r zeroed if no event reads counters. The table must outlive *r. Returns 0 or -ENOMEM.
 * Chunks that cannot be loaded are skipped: the pass that reads the samples reports them.
 */
int deltas_open(struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		struct ts_error *err);
void deltas_close(struct deltas *r); /* accepts a zeroed one; idempotent */

struct delta_last { /* value of a counter */
	struct delta_counter counter;
	uint64_t value, time_ns;
};

struct delta_member { /* one of the samples that a sample stands for */
	uint32_t event;
	uint64_t id, period;
};

struct delta_moment { /* of a sample */
	uint64_t time_ns, offset;
};

struct delta_walk {		  /* belongs to one thread */
	const struct deltas *all; /* NULL: every sample stands for itself */
	uint64_t from_ns;	  /* lowest time of the stretch */
	struct hash_index index;  /* of last, by counter */
	struct delta_last *last;
	size_t nr_last, cap_last;
	struct delta_member *members; /* of the sample of the last delta_take() */
	size_t cap_members;
	struct delta_moment *order; /* samples of a chunk, by time */
	size_t nr_order, cap_order;
	struct chunk_buffer buf; /* for the part of a chunk before the stretch */
	uint64_t nr_unknown;	 /* counters whose id belongs to no event of the header */
};

/* Initialises *d. r may be NULL; without r, or if r has no spans, each sample stands for itself. */
void delta_init(struct delta_walk *d, const struct deltas *r);
/*
 * Begins a stretch: the samples that follow have this time or a later one. 0: a chunk from its
 * beginning, or everything.
 */
void delta_begin(struct delta_walk *d, uint64_t from_ns);
/*
 * Takes a sample and its place: the stream, and the offset in its file (in a compressed chunk: the
 * offset of the chunk). Returns the number of samples that it stands for (1 if it read no
 * counters), or -ENOMEM.
 */
int delta_take(struct delta_walk *d, const struct ts_sample *sample, uint32_t stream,
	       uint64_t offset);
/* Turns *sample, the sample of the last delta_take(), into the i-th sample that it stands for. */
void delta_give(const struct delta_walk *d, int i, struct ts_sample *sample);
/* Lists the samples of a chunk by time in d->order. Returns 0 or -ENOMEM. */
int delta_list(struct delta_walk *d, const uint8_t *records, size_t len);
void delta_release(struct delta_walk *d); /* accepts a zeroed one; idempotent */

/*
 * Counts, by event of the capture, the samples that the selected samples of the table stand for.
 * Replaces the numbers of events that read counters in event_samples. Returns 0 or -ENOMEM.
 */
int deltas_count(const struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		 uint64_t *event_samples, struct ts_error *err);

#endif
