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
#ifndef TS_READER_SORT_KEYS_H
#define TS_READER_SORT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/header.h"
#include "reader/grouping.h"
#include "reader/names.h"

#define SORT_KEYS_DEFAULT "comm,dso,sym"
#define SORT_KEYS_LIST                                                                             \
	"comm, pid, tid, dso, sym, cpu, socket, node, time, cgroup, event, host, trace"

struct sort_keys {
	enum table_key keys[TABLE_NR_KEYS];
	size_t nr;
	struct tags_plan tags;
	struct names fields; /* what the tags' columns are called */
};

/* Is it a list of names, none of which is a key of perf's that is not here? -EINVAL. */
int sort_keys_check(const char *text, struct ts_error *err);
/*
 * Text is a list, behind a '+' one to be added to the default. -EINVAL where a name is no key and no
 * field of the capture, or where its samples do not carry what is asked for; -ENOMEM.
 */
int sort_keys_read(struct sort_keys *k, const char *text, const struct ts_header *header,
		   struct ts_error *err);
void sort_keys_release(struct sort_keys *k); /* accepts a zeroed one; idempotent */

bool sort_keys_has(const struct sort_keys *k, enum table_key key);
/* Is there a column of this kind among the tags? */
bool sort_keys_has_tag(const struct sort_keys *k, enum tag_kind kind);

#endif
