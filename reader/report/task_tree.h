/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a capture and who started whom, as records of names and forks leave them at the
 * end (report --tasks), and what they have mapped then (--mmaps).
 *
 *	COMM, FORK by time -> threads (pid, tid, ppid, name) -> tree -> text
 *
 * A thread is there when a record names it or tells that it was started, or started another; who
 * started it is known of those whose start was recorded. A number that is used again is the newer
 * thread's. Where maps are asked for, a thread that mapped something is there, too.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_REPORT_TASK_TREE_H
#define TS_READER_REPORT_TASK_TREE_H

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/chunks/chunk_table.h"
#include "reader/report/print_rows.h"
#include "reader/tasks/tasks.h"

/*
 * Prints the tree of a capture's threads, with their maps unless maps is NULL: names and maps of the
 * whole capture. Damaged places are added to *damage. 0, -errno, or what the sink returned.
 */
int print_task_tree(const struct chunk_table *table, const struct ts_tasks *maps,
		    struct damage *damage, report_sink_fn sink, void *sink_arg,
		    struct ts_error *err);

#endif
