/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks, maps and BPF programs that exist now. Side-band records go in as the kernel wrote
 * them. The state of a moment comes out as records, as if a scan at a start had found it. (The
 * kernel does not report that a cgroup is gone, so cgroups are scanned anew.)
 *
 * The table holds only state that a later record can refer to: one name for each task, and those
 * maps of a process that no later map covers. A FORK over a used pid, or an exec, replaces the old
 * state. A task that has ended stays until live_table_forget(), because the kernel may take samples
 * of it after its EXIT. A process is gone with the last of its threads. Until then its first thread
 * stays, which has its maps.
 *
 * The rules of names and maps are those of reader/tasks/tasks.h, which keeps every version, with
 * one exception: an exec drops the maps of the process.
 *
 * Threads: one owner.
 */
#ifndef TS_STREAMER_DIRECTORY_LIVE_TABLE_H
#define TS_STREAMER_DIRECTORY_LIVE_TABLE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "streamer/directory/needed_tasks.h"

struct live_table;

/* trailer_bytes: of each record, ts_record_trailer_bytes() of the events. NULL: out of memory. */
struct live_table *live_table_new(size_t trailer_bytes);
void live_table_free(struct live_table *t); /* NULL is fine */

/*
 * Takes in the next record in the order of time; time_ns 0: found at the start. Ignores types
 * without use here, and records that are too short for their type. 0 or -ENOMEM.
 */
int live_table_apply(struct live_table *t, const struct perf_event_header *record,
		     uint64_t time_ns);
/* The same for a run of whole records that were found at the start. */
int live_table_apply_run(struct live_table *t, const void *run, size_t len);

/* Drops tasks that ended before that time, with the maps of their processes. */
void live_table_forget(struct live_table *t, uint64_t before_ns);
/* The same for tasks that ended so long before `now_ns` that no more samples of them can come. */
void live_table_forget_ended(struct live_table *t, uint64_t now_ns);

/*
 * Appends the state of now as records of time 0. `tasks` gets FORK, NAMESPACES, COMM and MMAP2, in
 * the order in which tasks came; `others` gets KSYMBOL and BPF_EVENT; either may be NULL. Leaves
 * out the processes in `without`; NULL: leaves out none. Out of memory shows in ts_bytes_failed().
 */
void live_table_put(const struct live_table *t, const struct needed_tasks *without,
		    struct ts_bytes *tasks, struct ts_bytes *others);

/* The number of tasks, and of maps of all processes. */
size_t live_table_nr_tasks(const struct live_table *t);
size_t live_table_nr_maps(const struct live_table *t);

#endif
