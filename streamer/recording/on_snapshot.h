/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is run when a directory is finished: --archive, then --on-snapshot CMD.
 *
 * A runner (program_runner.h) executes `tstream archive` with the path, then CMD with the path as its only argument,
 * one after the other, and kills what has taken ON_SNAPSHOT_DEADLINE_S (ON_SNAPSHOT_ARCHIVE_DEADLINE_S with --archive):
 * whatever they do, neither main nor a writer waits for them before the recording has ended.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_ON_SNAPSHOT_H
#define TS_STREAMER_RECORDING_ON_SNAPSHOT_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/watch/program_runner.h"

#define ON_SNAPSHOT_DEADLINE_S	       60
#define ON_SNAPSHOT_ARCHIVE_DEADLINE_S 600
#define ON_SNAPSHOT_WAITING_MAX	       16 /* paths; the next one is not told */

struct on_snapshot {
	bool is_on;
	bool archives;
	const char *command; /* not owned; NULL: there is none */
	struct program_runner runner;
	/* of what was told and has not ended, from `first` on, around */
	bool is_archive[2 * ON_SNAPSHOT_WAITING_MAX];
	unsigned int first;
};

/*
 * Forks the runner where there is something to run; programs get what is in `caller`, log_fd as in
 * program_runner.h.
 */
int on_snapshot_start(struct on_snapshot *h, bool archives, const char *command, int log_fd,
		      const struct caller_state *caller, struct ts_error *err);
/* A directory is complete. What cannot be told is a note. Nothing where there is nothing to run. */
void on_snapshot_tell(struct on_snapshot *h, const char *path, struct ts_notes *notes);
/* The same for one of which CMD is not told, since it has no stamp. */
void on_snapshot_archive(struct on_snapshot *h, const char *path, struct ts_notes *notes);
/* Notes programs that failed meanwhile. Never waits. */
void on_snapshot_collect(struct on_snapshot *h, struct ts_notes *notes);
/* The same once all of them have ended, each within its deadline; then there is no runner. */
void on_snapshot_finish(struct on_snapshot *h, struct ts_notes *notes);
/* Without waiting for programs. Accepts a zeroed one. */
void on_snapshot_close(struct on_snapshot *h);

#endif
