/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sort keys of a report by name: comm, cpu, time, ..., and the fields of a capture's tracepoints
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

/* What the command line says about keys and columns. */
struct sort_plan {
	const char *sort;					  /* NULL: the default */
	const char *fields;					  /* NULL: the default */
	bool has_children, show_samples, show_period, show_modes; /* columns of the default */
	bool has_several; /* captures: threads of the same number are told apart */
	bool has_parent;  /* a key in any case: a pattern was given */
};

struct sort_keys {
	enum table_key keys[TABLE_NR_KEYS]; /* what makes a row */
	size_t nr;
	uint8_t levels[TABLE_NR_KEYS];		/* of keys, from 0 on: {comm,dso},sym are 0 0 1 */
	enum table_key order[TABLE_NR_COLUMNS]; /* what rows are sorted by */
	size_t nr_order;
	bool is_plain; /* that is: by total, self, and the keys in their order */
	enum table_key columns[TABLE_NR_COLUMNS];
	size_t nr_columns;
	struct tags_plan tags;
	struct name_table fields; /* what the tags' columns are called */
};

/* Is it a list of names, none of which is a key of perf's that is not here? -EINVAL. */
int sort_keys_check(const char *text, struct ts_error *err);
/*
 * Keys and columns as perf chooses them; a list behind a '+' is added to the default, keys inside
 * braces are of one level. -EINVAL where a name is no key and no field of the capture, or where its
 * samples do not carry what is asked for; -ENOMEM.
 */
int sort_keys_read(struct sort_keys *k, const struct sort_plan *plan,
		   const struct ts_header *header, struct ts_error *err);
void sort_keys_release(struct sort_keys *k); /* accepts a zeroed one; idempotent */

bool sort_keys_has(const struct sort_keys *k, enum table_key key);
/* Is there a column of this kind among the tags? */
bool sort_keys_has_tag(const struct sort_keys *k, enum sample_tag_kind kind);

#endif
