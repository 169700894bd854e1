/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of records by type and by event.
 *
 * Threads: one owner at a time; workers have counts of their own, which are added up.
 */
#ifndef TS_READER_CHUNKS_CHUNK_COUNTS_H
#define TS_READER_CHUNKS_CHUNK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selection;

/* The number of record types that are counted one by one; user types beyond share the last slot. */
#define CHUNK_RECORD_TYPES 96

/* Totals over records that were walked; see chunk_table.counts. */
struct chunk_counts {
	bool is_full;			   /* false: only losses are counted, the rest stays 0 */
	const struct selection *selection; /* full: of kernel records only these; or NULL */
	uint64_t by_type[CHUNK_RECORD_TYPES];
	uint64_t total;	       /* all records: compressed ones and those inside them */
	uint64_t lost;	       /* sum over LOST records */
	uint64_t lost_samples; /* sum over LOST_SAMPLES records */
	size_t nr_events;
	uint64_t *event_samples; /* SAMPLE records; [nr_events]: with ids that no event has */
	uint64_t *event_lost;	 /* from LOST_SAMPLES records */
};

/* Counts one more record of this type. */
static inline void chunk_counts_type(struct chunk_counts *counts, uint32_t type)
{
	counts->total++;
	counts->by_type[type < CHUNK_RECORD_TYPES ? type : CHUNK_RECORD_TYPES - 1]++;
}

int chunk_counts_init(struct chunk_counts *c, size_t nr_events); /* 0 or -ENOMEM */
void chunk_counts_add(struct chunk_counts *to, const struct chunk_counts *from);
void chunk_counts_release(struct chunk_counts *c);

#endif
