/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a report: stacks grouped by the sort keys, with sums, in the order they are printed.
 *
 * Each distinct combination of keys and event is one entry. With children an entry also counts the
 * samples in whose callchain it stands, once per sample. Order and equality are those of perf
 * report: by total, then by self, then by the keys in their order.
 *
 * With levels, entries with equal keys on a level stand below a common row (hierarchy.h).
 *
 * Threads: one thread builds the table (table_build.h) and may cut it; afterwards it is immutable.
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
	bool is_nested;		       /* rows are nested by the levels of keys */
	uint8_t levels[TABLE_NR_KEYS]; /* levels of keys, from 0 on, if rows are nested */
	/* Rows are sorted by these columns; none: by total, self and the keys in their order. */
	enum table_key order[TABLE_NR_COLUMNS];
	size_t nr_order;
	bool children;	       /* count callers, too */
	bool with_chains;      /* callchains are shown: keep the places that callgraph needs */
	bool caller_first;     /* the root of a callchain comes first */
	const regex_t *parent; /* pattern of the key `parent`; NULL: it is no key */
	bool only_parents;     /* samples without a parent have no row, but count in the sums */
	bool is_relative;      /* the sums of an event are those of its rows */
	double min_share;      /* lighter entries have no call graph: share of the event's period */
	/* Which events share a table; NULL: each has its own. */
	const struct event_groups *groups;
	uint32_t sort_member; /* rows are sorted by this member of a group */
	unsigned int nr_workers;
};

/*
 * The place of an entry in a stack: a frame of its callchain, or TABLE_LEAF for the sampled
 * address.
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
	uint32_t frame;		       /* frame of its earliest sample */
	uint32_t first_pid, first_tid; /* the thread of its earliest sample */
	uint32_t max_depth;	       /* longest callchain from its place on */
	uint64_t first_ns;
	uint64_t addr; /* without a symbol: address inside the object; of callers, as sampled */
	struct table_sums sums;	    /* in a group: of its first event */
	struct table_sums *members; /* in a group: of the other events; NULL: there are no groups */
	struct table_ref *refs; /* its places, if call graphs are shown and it is heavy enough */
	uint32_t nr_refs;
	bool is_of_first; /* private: the first event of its group has samples there */
	uint32_t stamp;	  /* private: the last stack that entered it */
};

/* An entry in the order of printing, with the values that decide that order. */
struct table_row {
	uint64_t total_period, self_period;
	uint64_t keys; /* ranks of all keys, the first one highest, if 64 bits suffice */
	uint64_t addr; /* of an entry without a symbol, copied for quick comparisons */
	uint32_t event;
	uint16_t depth; /* number of rows above that contain it; the deepest rows are entries */
	bool has_symbol;
	const struct table_entry *entry;
};

/* At which depth of an event's rows each key stands; 0 in a table that is not nested. */
struct table_depths {
	uint8_t of[TABLE_NR_KEYS]; /* by key */
	uint8_t nr;
};

struct table_event {
	size_t first, nr; /* rows order[first .. first + nr); a group: at its first event */
	uint64_t nr_samples, period;
};

struct table_part;  /* the entries of one worker */
struct nest_branch; /* a row above other rows */

struct table {
	const struct aggregate *aggregate;
	struct table_plan plan;
	struct grouping grouping;
	bool is_packed;			 /* private: table_row.keys decides the order of keys */
	uint8_t key_bits[TABLE_NR_KEYS]; /* private: bits of each key in table_row.keys */
	struct table_row *order;	 /* all rows, by event, as they are printed */
	size_t nr;
	struct nest_branch *branches;	   /* of a nested table */
	struct table_sums *branch_members; /* of the branches, as in entries */
	struct table_event *events;	   /* one per event of the capture */
	size_t nr_events;
	struct table_part *parts; /* one per worker */
	uint64_t key;		  /* private: of hashes; see common/base/keyed_hash.h */
};

/* Keeps the first nr rows of an event. Its sums, of which rows are shares, stay. */
void table_cut(struct table *t, uint32_t event, size_t nr);

/* The base of an entry. */
static inline const struct grouping_base *table_base(const struct table *t,
						     const struct table_entry *e)
{
	return &t->grouping.bases[e->base];
}

static inline const struct frame *table_frame(const struct table *t, const struct table_entry *e)
{
	return &t->aggregate->frames.items[e->frame];
}

/* Is it a key of an event's rows? Fields of other tracepoints are not. */
bool table_has_key(const struct table *t, uint32_t event, enum table_key key);
void table_depths_find(struct table_depths *d, const struct table *t, uint32_t event);
/*
 * A sum of an entry (TABLE_CHILDREN, TABLE_SAMPLES, ...) for a member of its group; 0: the first.
 */
uint64_t table_sum(const struct table_entry *e, enum table_key column, uint32_t member);
/*
 * Samples and period in the table of an event, for its whole group. Both are 0 if the event stands
 * in the table of another event.
 */
struct table_sums table_event_sums(const struct table *t, uint32_t event);
/* The short name of an object as it is printed; "[unknown]" if there is none. */
const char *table_dso_name(const struct frame *frame);

#endif
