/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks, maps and BPF programs that there are now: side-band records go in as the kernel made
 * them, and what holds at a moment comes out as records, as if it were found at a start. (Of cgroups
 * nobody tells that they are gone: they are looked for anew.)
 *
 * It holds what a later record can refer to, and nothing else: one name a task, of the maps of a
 * process those that later ones do not cover, and what begins anew (FORK over a pid, exec) replaces
 * what was there. A task that has ended stays until live_table_forget(), since the kernel may take
 * samples of it after its EXIT. A process is gone with the last of its threads; until then its first
 * one stays, which has its maps.
 *
 * The rules of names and maps are those of reader/tasks/tasks.h. Where that keeps all versions for a reader,
 * this keeps the last.
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

/* trailer_bytes: of each record, ts_trailer_bytes() of the events. NULL: out of memory. */
struct live_table *live_table_new(size_t trailer_bytes);
void live_table_free(struct live_table *t); /* NULL is fine */

/*
 * Takes in the next record in the order of time; time_ns 0: found at the start. Ignores types that it
 * has no use for, and records too short to be what they say. 0 or -ENOMEM.
 */
int live_table_apply(struct live_table *t, const struct perf_event_header *record,
		     uint64_t time_ns);
/* The same of a run of whole records that were found at the start. */
int live_table_apply_run(struct live_table *t, const void *run, size_t len);

/* Drops tasks that ended before that time, with the maps of their processes. */
void live_table_forget(struct live_table *t, uint64_t before_ns);

/*
 * Appends what there is now as records of time 0: `tasks` gets FORK, NAMESPACES, COMM and MMAP2, in
 * the order in which tasks came; `others` KSYMBOL and BPF_EVENT; either may be NULL. Of the processes
 * in `without` nothing; NULL: there are none. Out of memory shows in ts_bytes_failed().
 */
void live_table_put(const struct live_table *t, const struct needed_tasks *without,
		    struct ts_bytes *tasks, struct ts_bytes *others);

/* The same of those that ended so long before that time that no sample of them is still to come. */
void live_table_forget_ended(struct live_table *t, uint64_t now_ns);

/* How many tasks, and maps of all processes, it holds. */
size_t live_table_nr_tasks(const struct live_table *t);
size_t live_table_nr_maps(const struct live_table *t);

#endif
