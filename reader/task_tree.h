/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a capture and who started whom, as records of names and forks leave them at the
 * end (report --tasks).
 *
 *	COMM, FORK by time -> threads (pid, tid, ppid, name) -> tree -> text
 *
 * A thread is there when a record names it or tells that it was started, or started another; who
 * started it is known of those whose start was recorded. A number that is used again is the newer
 * thread's.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_TASK_TREE_H
#define TS_READER_TASK_TREE_H

#include "common/bytes.h"
#include "common/error.h"
#include "reader/chunk_table.h"

/* Appends the tree of a capture's threads. Damaged places are added to *damage. 0 or -errno. */
int print_task_tree(const struct chunk_table *table, struct damage *damage, struct ts_bytes *out,
		    struct ts_error *err);

#endif
