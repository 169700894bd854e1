/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of the threads of a capture by parent, at the end of the recording (report --tasks),
 * with their maps at that time (--mmaps).
 *
 *	COMM, FORK by time -> threads (pid, tid, ppid, name) -> tree -> text
 *
 * The tree has each thread that a record names, or that a FORK record has as parent or child. The
 * parent is known only if the start was recorded. If a tid is used again, the newer thread has it.
 * With maps, each thread that mapped something is in the tree, too.
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
 * Prints the tree of a capture's threads. With `maps`, the names and maps of the whole capture,
 * also prints the maps of each thread; NULL: no maps. Adds damaged places to *damage. Returns 0,
 * -errno, or the result of the sink.
 */
int task_tree_print(const struct chunk_table *table, const struct tasks *maps,
		    struct damage *damage, report_sink_fn sink, void *sink_arg,
		    struct ts_error *err);

#endif
