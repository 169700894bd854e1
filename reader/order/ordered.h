/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ordered events: the records of all chunks as one sequence by time.
 *
 *	chunk -> run (records sorted by time) \
 *	chunk -> run                           > heap of runs -> next
 *	chunk -> run                          /
 *
 * A k-way merge over chunks. A chunk is opened when the merge reaches its lowest time, and closed
 * behind its highest. So only chunks of the current time are in memory; of those that expand far
 * some wait outside (chunk_runs.h). Opening a chunk sorts the
 * records that step back inside it. A record that steps back further widens the time range of its
 * chunk, which is then opened earlier. So there is no reorder window that a record could miss.
 *
 * The table has exact time ranges, so the order is exact: by time, then stream, then offset. A
 * chunk of ours is listed as damaged if its header has wrong times. Records without a time
 * (synthesized state) come first, by stream, then offset.
 *
 * Threads: one `struct ordered` belongs to one thread; several threads may each walk a window of
 * time of the same table.
 */
#ifndef TS_READER_ORDER_ORDERED_H
#define TS_READER_ORDER_ORDERED_H

#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "reader/chunks/chunk_table.h"

/* Which records: bit n = kernel record type n (1..63); records of other types are never given. */
#define ORDERED_SAMPLES (1ull << PERF_RECORD_SAMPLE)
#define ORDERED_ALL	(~1ull)

struct ordered_window {
	uint64_t types; /* ORDERED_* */
	/* times [from_ns, to_ns); records without one belong to the window that begins at 0 */
	uint64_t from_ns, to_ns;
	/* chunks of the table that may have timed records in it, not owned; NULL: all of them */
	const struct chunk *const *chunks;
	size_t nr_chunks;
	unsigned int nr_workers; /* threads that verify chunks ahead; 0: only the reader */
};

struct ordered_record {
	const struct perf_event_header *hdr; /* valid until the next ordered_next() */
	uint64_t time_ns;		     /* 0: without a time */
	uint32_t stream;		     /* index into capture.streams */
	uint64_t offset; /* in the stream's file; of the chunk when that is compressed */
};

struct ordered;

/* NULL: out of memory. The table must outlive it. */
struct ordered *ordered_open(const struct chunk_table *table, const struct ordered_window *window);
/*
 * 1 and the next record; 0 at the end; -ENOMEM. Damaged chunks are skipped and listed.
 */
int ordered_next(struct ordered *o, struct ordered_record *ret);
/* Damage that was found so far; a chunk may be listed twice. */
const struct damage *ordered_damage(const struct ordered *o);
void ordered_close(struct ordered *o); /* NULL does nothing */

#endif
