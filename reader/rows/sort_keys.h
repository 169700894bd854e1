/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of sort keys: comm, cpu, time, ..., and the fields of the capture's tracepoints
 * (next_pid, sched_switch.next_pid, sched_switch.*, trace_fields).
 *
 *	"comm,next_pid"  -> sort_keys_check()  before a capture is there
 *	                 -> sort_keys_read()   with its header: keys, and the tags they need
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_ROWS_SORT_KEYS_H
#define TS_READER_ROWS_SORT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/rows/grouping.h"
#include "reader/runtime/name_table.h"

#define SORT_KEYS_DEFAULT "comm,dso,sym"
#define SORT_KEYS_LIST                                                                             \
	"comm, pid, tid, dso, sym, srcline, srcfile, parent, cpu, socket, node, time, cgroup, "    \
	"event, host, trace"

/* The options of the command line about keys and columns. */
struct sort_plan {
	const char *sort;					  /* NULL: the default */
	const char *fields;					  /* NULL: the default */
	bool has_children, show_samples, show_period, show_modes; /* columns of the default */
	bool has_several; /* several captures: equal tids of different captures are told apart */
	bool has_parent;  /* `parent` is a key in any case: a pattern was given */
};

struct sort_keys {
	enum table_key keys[TABLE_NR_KEYS]; /* rows are told apart by these */
	size_t nr;
	uint8_t levels[TABLE_NR_KEYS]; /* level of each key, from 0 on: {comm,dso},sym are 0 0 1 */
	enum table_key order[TABLE_NR_COLUMNS]; /* rows are sorted by these */
	size_t nr_order;
	bool is_plain; /* the order is: total, self, the keys in their order */
	enum table_key columns[TABLE_NR_COLUMNS];
	size_t nr_columns;
	struct tags_plan tags;
	struct name_table fields; /* names of fields in tag columns */
};

/*
 * Checks a list before a capture is open. Returns 0, or -EINVAL if it is no list of names or if it
 * names a key of perf that does not exist here.
 */
int sort_keys_check(const char *text, struct ts_error *err);
/*
 * Chooses keys and columns as perf does. A list behind '+' is added to the default; keys inside
 * braces share a level. Returns -EINVAL if a name is neither a key nor a field of the capture, or
 * if samples do not carry the data of a key; or -ENOMEM.
 */
int sort_keys_read(struct sort_keys *k, const struct sort_plan *plan,
		   const struct ts_header *header, struct ts_error *err);
void sort_keys_release(struct sort_keys *k); /* accepts a zeroed one; idempotent */

bool sort_keys_has(const struct sort_keys *k, enum table_key key);
/* Is there a column of this kind among the tags? */
bool sort_keys_has_tag(const struct sort_keys *k, enum sample_tag_kind kind);

#endif
