/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the records of a ring were kept and lost: a table of time slots of fixed size.
 *
 * It begins with slots of one second. When a capture gets longer than the table, neighbours are
 * merged and a slot becomes twice as long. Days therefore fit as well as minutes, without any
 * allocation. Slots stand at multiples of their length on the clock of the capture, so tables of
 * several rings fit each other.
 *
 * The table depends only on the ring's chunk headers in their order. The recorder keeps it while it
 * drains; a reader makes the same table from a capture whose recorder was killed. The records of a
 * chunk are spread evenly over the time from its first to its last record. Its losses are spread
 * evenly over the time from the last record of the chunk before to its own last record.
 *
 * Threads: none of its own; one owner.
 */
#ifndef TS_COMMON_STREAM_TIMELINE_H
#define TS_COMMON_STREAM_TIMELINE_H

#include <stdint.h>

#include "common/stream/chunk.h"

#define TS_TIMELINE_SLOTS 256

struct ts_timeline_slot {
	uint64_t nr[TS_LOSS_NR]; /* records lost, by cause; TS_LOSS_NONE: kept */
};

struct ts_timeline {	  /* zeroed: empty */
	uint64_t step_ns; /* length of a slot: 1 s or a power of two of them; 0: empty */
	uint64_t first;	  /* slots[0] begins at first * step_ns */
	uint32_t nr;	  /* slots in use; the others are 0 */
	uint64_t last_ns; /* highest time of a chunk so far; 0: none had one */
	struct ts_timeline_slot untimed; /* of chunks before any time was known */
	struct ts_timeline_slot slots[TS_TIMELINE_SLOTS];
};

/* Adds a chunk, the next one of its ring. */
void ts_timeline_chunk(struct ts_timeline *t, const struct ts_chunk *c);
/*
 * Adds `nr` records spread evenly over [from_ns, until_ns] (from_ns <= until_ns); untimed where
 * until_ns is 0 or beyond 2^63.
 */
void ts_timeline_add(struct ts_timeline *t, enum ts_loss_cause cause, uint64_t nr, uint64_t from_ns,
		     uint64_t until_ns);
/*
 * Moves all but `kept` records of an added chunk to the loss by the disk, because only those are in
 * the capture. A chunk without times stays as it is.
 */
void ts_timeline_unwrite(struct ts_timeline *t, const struct ts_chunk *c, uint64_t kept);
/* The sum of a cause over all slots, without untimed records; TS_LOSS_NONE: kept. */
uint64_t ts_timeline_sum(const struct ts_timeline *t, enum ts_loss_cause cause);

#endif
