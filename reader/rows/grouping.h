/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the values that the sort keys tell apart into small numbers.
 *
 * An entry of the table has a base (event, command, thread, tag: the same for all frames of a
 * stack) and a group (object and function of a frame). Names are ranked first, so entries are
 * ordered by numbers only.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_ROWS_GROUPING_H
#define TS_READER_ROWS_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/rows/event_groups.h"
#include "reader/rows/parent_key.h"
#include "reader/stacks/aggregate.h"

enum table_key {
	TABLE_COMM,
	TABLE_PID, /* as perf's pid: one entry per thread */
	TABLE_TID,
	TABLE_DSO,
	TABLE_SYM,
	TABLE_SRCLINE,
	TABLE_SRCFILE, /* not together with srcline */
	TABLE_PARENT,
	TABLE_TAG, /* the first column of the aggregate's tags; the others follow */
	TABLE_NR_KEYS = TABLE_TAG + TAGS_MAX,
	/* Other columns that rows can be sorted by: sums of the row. */
	TABLE_CHILDREN = TABLE_NR_KEYS,
	TABLE_OVERHEAD,
	TABLE_SYS, /* the part of the period that was sampled in the kernel */
	TABLE_USER,
	TABLE_GUEST_SYS,
	TABLE_GUEST_USER,
	TABLE_SAMPLES,
	TABLE_PERIOD,
	TABLE_NR_COLUMNS,
};

struct grouping_base {
	uint32_t event, comm, tid, tag; /* event: the first of its group */
	uint32_t parent;		/* 0: it is no key */
};

struct grouping_plan {
	const enum table_key *keys;
	size_t nr_keys;
	const struct event_groups *groups; /* events of one group are not told apart; NULL: none */
	const regex_t *parent;		   /* pattern of the key `parent`; NULL: it is no key */
	bool caller_first; /* the parent is searched from the caller on, not from the leaf */
};

struct grouping {
	const struct aggregate *aggregate;
	const struct event_groups *groups;
	bool by_sym, by_dso, by_line;
	struct grouping_base *bases;
	uint32_t nr_bases;
	uint32_t *base_of; /* by stack, in the order of the parts of the aggregate */
	/*
	 * Group by frame. perf tells unknown callers apart by the sampled address, and unknown
	 * leaves by the address inside the object.
	 */
	uint32_t *sample_group, *caller_group;
	uint32_t *graph_frame; /* by frame: the first frame that looks the same in a call graph */
	/* By frame and by command; the unknown rank last. */
	uint32_t *dso_rank, *sym_rank, *line_rank, *comm_rank;
	uint32_t nr_dso_ranks, nr_sym_ranks, nr_line_ranks, nr_comm_ranks;
	struct parents parents;
	bool by_parent, caller_first;
	uint32_t *tag_ranks; /* aggregate.tags.nr per column */
};

/* Returns 0 or -ENOMEM. The aggregate must outlive *g. */
int grouping_init(struct grouping *g, const struct aggregate *a, const struct grouping_plan *plan);
void grouping_release(struct grouping *g); /* accepts a zeroed one; idempotent */

#endif
