/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a report: stacks grouped by the sort keys, with sums, in the order they are printed.
 *
 * One entry a distinct combination of keys and event. With children an entry also counts the
 * samples in whose callchain it stands, once a sample. Order and equality follow perf report: by
 * total, then by self, then by the keys in their order.
 *
 * With levels, entries of the same keys of a level stand below a row of their own (hierarchy.h).
 *
 * Threads: one builds it (table_build.h) and may cut it; then immutable.
 */
#ifndef TS_READER_ROWS_TABLE_H
#define TS_READER_ROWS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/rows/event_groups.h"
#include "reader/rows/grouping.h"
#include "reader/stacks/aggregate.h"

struct table_plan {
	enum table_key keys[TABLE_NR_KEYS];
	size_t nr_keys;
	bool is_nested;		       /* by levels of keys, else all at one */
	uint8_t levels[TABLE_NR_KEYS]; /* of keys, where it is nested: from 0 on */
	/* By which columns rows are sorted; none: by total, self and the keys in their order. */
	enum table_key order[TABLE_NR_COLUMNS];
	size_t nr_order;
	bool children;	       /* count callers, too */
	bool with_chains;      /* callchains are shown: build what callgraph needs */
	bool caller_first;     /* of a callchain, the root comes first */
	const regex_t *parent; /* pattern of the key `parent`; NULL: it is none */
	bool only_parents;     /* what has none has no row, but counts in the sums */
	bool is_relative;      /* the sums of events are those of the rows */
	double min_share;      /* entries of less of their event's period have no call graph */
	/* Which events share a table; NULL: each has its own. */
	const struct event_groups *groups;
	uint32_t sort_member; /* by which of a group rows are sorted, else by the first */
	unsigned int nr_workers;
};

/*
 * Where an entry stands in a stack: at a frame of its callchain, or TABLE_LEAF for its own sample.
 */
#define TABLE_LEAF UINT32_MAX

#define TABLE_NR_MODES (TABLE_GUEST_USER - TABLE_SYS + 1)

struct table_ref {
	const struct stacks *part; /* of the aggregate */
	uint32_t stack, position;
};

struct table_sums { /* of the samples of an event */
	uint64_t self_period, self_samples;
	uint64_t total_period;		      /* without children as self_period */
	uint64_t mode_period[TABLE_NR_MODES]; /* of self_period: TABLE_SYS, ... */
};

struct table_entry {
	uint32_t base, group;	       /* of the grouping */
	uint32_t frame;		       /* that of its earliest sample */
	uint32_t first_pid, first_tid; /* the thread of its earliest sample */
	uint32_t max_depth;	       /* longest callchain from its place on */
	uint64_t first_ns;
	uint64_t addr; /* without a symbol: inside the object; for callers as it was seen */
	struct table_sums sums;	    /* of a group those of its first event */
	struct table_sums *members; /* those of the others; NULL: there are no groups */
	struct table_ref *refs; /* its places, where call graphs are shown and it is large enough */
	uint32_t nr_refs;
	bool is_of_first; /* private: the first event of its group has samples there */
	uint32_t stamp;	  /* private: the last stack that entered it */
};

/* An entry in the order of printing, with what decides about that order. */
struct table_row {
	uint64_t total_period, self_period;
	uint64_t
		keys; /* ranks of all sort keys, the first one highest, where they fit in 64 bits */
	uint64_t addr; /* of an entry without a symbol, so that comparing need not look there */
	uint32_t event;
	uint16_t depth; /* rows above it that it is part of; the deepest ones are entries */
	bool has_symbol;
	const struct table_entry *entry;
};

/* At which depth of an event's rows each key stands; 0 in a table that is not nested. */
struct table_depths {
	uint8_t of[TABLE_NR_KEYS]; /* by key */
	uint8_t nr;
};

struct table_event {
	size_t first, nr; /* rows order[first .. first + nr); a group has those of its first */
	uint64_t nr_samples, period;
};

struct table_part;  /* what one worker cares for */
struct nest_branch; /* a row above others */

struct table {
	const struct aggregate *aggregate;
	struct table_plan plan;
	struct grouping grouping;
	bool is_packed;			 /* private: table_row.keys tells the order of keys */
	uint8_t key_bits[TABLE_NR_KEYS]; /* private: of each of the plan's keys in it */
	struct table_row *order;	 /* all rows, by event, as they are printed */
	size_t nr;
	struct nest_branch *branches;	   /* of a nested table */
	struct table_sums *branch_members; /* of these, as in entries */
	struct table_event *events;	   /* one a capture's event */
	size_t nr_events;
	struct table_part *parts; /* one a worker */
};

/* Leaves nr rows of an event, the first ones, and what they are shares of. */
void table_cut(struct table *t, uint32_t event, size_t nr);

/* What an entry is of. */
static inline const struct grouping_base *table_base(const struct table *t,
						     const struct table_entry *e)
{
	return &t->grouping.bases[e->base];
}

static inline const struct frame *table_frame(const struct table *t, const struct table_entry *e)
{
	return &t->aggregate->frames.items[e->frame];
}

/* Is it a key of an event's rows? The fields of other tracepoints are none of its own. */
bool table_has_key(const struct table *t, uint32_t event, enum table_key key);
void table_depths_find(struct table_depths *d, const struct table *t, uint32_t event);
/* One of an entry's sums, TABLE_CHILDREN, TABLE_SAMPLES, ..., of a member of its group: 0, the first. */
uint64_t table_sum(const struct table_entry *e, enum table_key column, uint32_t member);
/*
 * Samples and period that the table of an event has, of all of its group; both 0 where the event
 * stands in the table of another.
 */
struct table_sums table_event_sums(const struct table *t, uint32_t event);
/* The short name of an object as it is printed: "[unknown]" for none. */
const char *table_dso_name(const struct frame *frame);

#endif
