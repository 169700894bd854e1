/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass A: the side-band of a capture, in time order, becomes names and maps over time.
 *
 * Threads: replay_sideband() runs in the caller's thread. Its result is frozen, and any number of
 * threads may read it.
 */
#ifndef TS_READER_ORDER_REPLAY_H
#define TS_READER_ORDER_REPLAY_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "reader/chunks/chunk_table.h"
#include "reader/tasks/tasks.h"

/*
 * Applies every side-band record of the table. Damaged chunks and records are skipped and added to
 * *damage. `warnings` (or NULL) gets jitdump files that cannot be used, also after a failure. The
 * caller owns the result (tasks_free()). NULL: out of memory, with a sentence in *err.
 */
struct tasks *replay_sideband(const struct chunk_table *table, struct damage *damage,
			      struct ts_notes *warnings, struct ts_error *err);

/*
 * The same for existing tasks: applies the records of the table up to until_ns, except those that
 * were given before. Then freezes the tasks again. 0 or -ENOMEM.
 */
int replay_more(struct tasks *tasks, const struct chunk_table *table, uint64_t until_ns,
		struct damage *damage, struct ts_notes *warnings, struct ts_error *err);

/*
 * Does an MMAP2 record have the build-id flag although its event did not ask for one? The kernel
 * sets it while another event asks. Such a record has device and inode in place of the build-id.
 */
bool replay_is_flag_stray(const struct ts_events *events, const struct perf_event_header *hdr,
			  const struct ts_sample_id *sid);

#endif
