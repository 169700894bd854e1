/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a merge, for the files that choose among them: merge_chunks.c and its steps.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_MERGE_MERGE_ENTRIES_H
#define TS_READER_MERGE_MERGE_ENTRIES_H

#include "reader/merge/merge.h"

/* Entries that are not left out, in an order in which equal or overlapping chunks are neighbours. */
struct merge_view {
	struct merge_entry **items; /* a block of memory */
	size_t nr;
};

/* Sorts the view by `compare`, which gets pointers to items, and *m. 0 or -ENOMEM. */
int merge_view_open(struct merge_view *v, struct merge *m,
		    int (*compare)(const void *, const void *, void *));
void merge_view_close(struct merge_view *v);

static inline const struct chunk *merge_chunk_of(const struct merge *m, const struct merge_entry *e)
{
	return &m->table.chunks[e->chunk];
}

static inline int merge_compare_u64(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Leaves out a chunk because another part has all of its records. */
void merge_leave_out_entry(struct merge *m, struct merge_entry *e);

/* The steps of merge_choose_chunks(); 0 or -errno. */
int merge_leave_out_same(struct merge *m, struct ts_error *err);
int merge_leave_out_overlaps(struct merge *m, struct ts_error *err);
/* Withdraws the damage of the chunk table that another part makes good. */
void merge_withdraw_damage(struct merge *m);

#endif
