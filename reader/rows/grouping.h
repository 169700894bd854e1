/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sort keys of a report tell apart, as small numbers.
 *
 * An entry of the table is a base (event, command, thread, tag: the same for all frames of a stack)
 * and a group (object and function of a frame). Names are ranked beforehand, so that ordering
 * entries compares numbers only.
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
	TABLE_PID, /* as perf's pid: one entry a thread */
	TABLE_TID,
	TABLE_DSO,
	TABLE_SYM,
	TABLE_SRCLINE,
	TABLE_SRCFILE, /* not beside srcline */
	TABLE_PARENT,
	TABLE_TAG, /* the first column of the aggregate's tags; the others follow */
	TABLE_NR_KEYS = TABLE_TAG + TAGS_MAX,
	/* What else a column can be, and rows can be sorted by: a sum of the row. */
	TABLE_CHILDREN = TABLE_NR_KEYS,
	TABLE_OVERHEAD,
	TABLE_SYS, /* of the period, what was sampled in the kernel */
	TABLE_USER,
	TABLE_GUEST_SYS,
	TABLE_GUEST_USER,
	TABLE_SAMPLES,
	TABLE_PERIOD,
	TABLE_NR_COLUMNS,
};

struct grouping_base {
	uint32_t event, comm, tid, tag; /* event: the first of its group */
	uint32_t parent;		/* 0 where it is no key */
};

struct grouping_plan {
	const enum table_key *keys;
	size_t nr_keys;
	const struct event_groups
		*groups;       /* what is of one is told apart by no event; NULL: none */
	const regex_t *parent; /* of the key `parent`; NULL: it is no key */
	bool caller_first;     /* that is the first one from the caller on, not from the leaf */
};

struct grouping {
	const struct aggregate *aggregate;
	const struct event_groups *groups;
	bool by_sym, by_dso, by_line;
	struct grouping_base *bases;
	uint32_t nr_bases;
	uint32_t *base_of; /* by stack, the parts of the aggregate one after the other */
	/*
	 * By frame. perf tells unknown callers apart by their address as it was seen, and samples
	 * by the address inside the object.
	 */
	uint32_t *sample_group, *caller_group;
	uint32_t *graph_frame; /* by frame: the first that a call graph shows as the same */
	/* By frame and by command; the unknown rank last. */
	uint32_t *dso_rank, *sym_rank, *line_rank, *comm_rank;
	uint32_t nr_dso_ranks, nr_sym_ranks, nr_line_ranks, nr_comm_ranks;
	struct parents parents;
	bool by_parent, caller_first;
	uint32_t *tag_ranks; /* aggregate.tags.nr a column */
};

/* 0 or -ENOMEM. */
int grouping_init(struct grouping *g, const struct aggregate *a, const struct grouping_plan *plan);
void grouping_release(struct grouping *g); /* accepts a zeroed one; idempotent */

#endif
