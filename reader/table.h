/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a report: stacks grouped by the sort keys, with sums, in the order they are printed.
 *
 * One entry a distinct combination of keys and event. With children an entry also counts the
 * samples in whose callchain it stands, once a sample. Order and equality follow perf report: by
 * total, then by self, then by the keys in their order.
 *
 * Threads: built by one thread, immutable afterwards.
 */
#ifndef TS_READER_TABLE_H
#define TS_READER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "reader/aggregate.h"

enum table_key {
	TABLE_COMM,
	TABLE_PID, /* as perf's pid: one entry a thread */
	TABLE_TID,
	TABLE_DSO,
	TABLE_SYM,
	TABLE_CPU,
	TABLE_NR_KEYS,
};

struct table_plan {
	enum table_key keys[TABLE_NR_KEYS];
	size_t nr_keys;
	bool children;	   /* count callers, too */
	bool with_chains;  /* there are callchains, to be shown or counted */
	bool caller_first; /* of a callchain, the root comes first */
};

struct table_entry {
	uint32_t event, comm, tid, cpu;
	uint32_t group;		       /* private: what of the frame the keys tell apart */
	struct frame frame;	       /* of its earliest sample */
	uint32_t first_pid, first_tid; /* thread of its earliest sample */
	uint64_t first_ns;
	uint64_t self_period, self_samples;
	uint64_t total_period;	     /* with children; else as self_period */
	uint32_t max_depth;	     /* longest callchain */
	uint64_t first_ref, nr_refs; /* its places in table.refs */
	uint32_t stamp;		     /* private */
};

/* Where an entry stands in a stack: at a frame of its callchain, or TABLE_LEAF for its own sample.
 */
#define TABLE_LEAF UINT32_MAX

struct table_ref {
	uint32_t stack, position;
};

struct table_event {
	size_t first, nr; /* entries [first, first + nr), in order */
	uint64_t nr_samples, period;
};

struct table {
	const struct aggregate *aggregate;
	struct table_plan plan;
	struct table_entry *entries;
	uint32_t nr, cap;
	struct table_event *events; /* one a capture's event */
	size_t nr_events;
	struct table_ref *refs; /* by entry; see table_link() */
	uint32_t *groups;	/* private, of table_build(): frame -> group */
	uint32_t *slots;
	size_t nr_slots;
};

int table_build(struct table *t, const struct aggregate *a, size_t nr_events,
		const struct table_plan *plan, struct ts_error *err);
/*
 * Notes for every entry of at least table_least() the stacks it stands in, so that its call graph
 * can be built. To be called once.
 */
int table_link(struct table *t, double min_share, struct ts_error *err);
/* The period below which branches of an event's call graphs are left out. */
uint64_t table_least(const struct table *t, uint32_t event, double min_share);
void table_release(struct table *t); /* accepts a zeroed one; idempotent */

/* The short name of an object as it is printed: "[unknown]" for none. */
const char *table_dso_name(const struct frame *frame);

#endif
