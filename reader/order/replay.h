/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass A: the side-band of a capture, in time order, becomes names and maps over time.
 *
 * Threads: replay_sideband() runs in the caller's thread; its result is frozen and may be read by
 * any number.
 */
#ifndef TS_READER_ORDER_REPLAY_H
#define TS_READER_ORDER_REPLAY_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "reader/chunks/chunk_table.h"
#include "reader/tasks/tasks.h"

/*
 * Applies every side-band record of the table; chunks and records that are damaged are passed over
 * and added to *damage. `warnings` gets jitdump files that cannot be used, also after a failure;
 * NULL: nobody wants to know. The result belongs to the caller (ts_tasks_free()); NULL: out of
 * memory, *err says so.
 */
struct ts_tasks *replay_sideband(const struct chunk_table *table, struct damage *damage,
				 struct ts_notes *warnings, struct ts_error *err);

/*
 * The same into tasks that are there already: what of the table is not later than until_ns, but for
 * what of its chunks was given before. Freezes them again. 0 or -ENOMEM.
 */
int replay_more(struct ts_tasks *tasks, const struct chunk_table *table, uint64_t until_ns,
		struct damage *damage, struct ts_notes *warnings, struct ts_error *err);

/*
 * Does an MMAP2 record carry the flag that says "build-id" though its event did not ask for one? The
 * kernel's habit while somebody else's event asks; what it carries is device and inode.
 */
bool replay_is_flag_stray(const struct ts_events *events, const struct perf_event_header *hdr,
			  const struct ts_sample_id *sid);

#endif
