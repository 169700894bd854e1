/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that run when a directory is finished: --archive, then --on-snapshot CMD.
 *
 * A runner (program_runner.h) executes `tstream archive` with the path, then CMD with the path as
 * its only argument, one after the other. It kills a program after ON_SNAPSHOT_DEADLINE_S, with
 * --archive after ON_SNAPSHOT_ARCHIVE_DEADLINE_S. Neither main nor a writer waits for these
 * programs before the recording has ended.
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
#define ON_SNAPSHOT_WAITING_MAX	       16 /* paths; CMD does not run for the next one */

struct on_snapshot {
	bool is_on;
	bool archives;
	const char *command; /* not owned; NULL: there is none */
	struct program_runner runner;
	/* a circular list from `first` on: the commands that were sent and have not ended */
	bool is_archive[2 * ON_SNAPSHOT_WAITING_MAX];
	unsigned int first;
};

/*
 * Forks the runner if there is something to run. Programs get the state in `caller`; log_fd as in
 * program_runner.h.
 */
int on_snapshot_start(struct on_snapshot *h, bool archives, const char *command, int log_fd,
		      const struct caller_state *caller, struct ts_error *err);
/*
 * A directory is complete: runs the programs. A program that cannot be run is a note. Does nothing
 * where nothing is to be run.
 */
void on_snapshot_tell(struct on_snapshot *h, const char *path, struct ts_notes *notes);
/* The same, --archive alone: for a directory without a stamp, for which CMD does not run. */
void on_snapshot_archive(struct on_snapshot *h, const char *path, struct ts_notes *notes);
/* Notes programs that failed meanwhile. Never waits. */
void on_snapshot_collect(struct on_snapshot *h, struct ts_notes *notes);
/*
 * The same, but waits until all programs have ended, each within its deadline; then ends the
 * runner.
 */
void on_snapshot_finish(struct on_snapshot *h, struct ts_notes *notes);
/* Does not wait for programs. Accepts a zeroed struct. */
void on_snapshot_close(struct on_snapshot *h);

#endif
