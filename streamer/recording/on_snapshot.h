/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is run when a directory is finished: --archive, then --on-snapshot CMD.
 *
 * A runner (program_runner.h) executes `tstream archive` with the path, then CMD with the path as its only argument,
 * one after the other, and kills what has taken HOOK_DEADLINE_S (HOOK_ARCHIVE_DEADLINE_S with --archive):
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

#define HOOK_DEADLINE_S		60
#define HOOK_ARCHIVE_DEADLINE_S 600
#define HOOK_WAITING_MAX	16 /* paths; the next one is not told */

struct hook {
	bool is_on;
	bool archives;
	const char *command; /* not owned; NULL: there is none */
	struct runner runner;
	/* of what was told and has not ended, from `first` on, around */
	bool is_archive[2 * HOOK_WAITING_MAX];
	unsigned int first;
};

/*
 * Forks the runner where there is something to run; programs get what is in `caller`, log_fd as in
 * program_runner.h.
 */
int hook_start(struct hook *h, bool archives, const char *command, int log_fd,
	       const struct caller_state *caller, struct ts_error *err);
/* A directory is complete. What cannot be told is a note. Nothing where there is nothing to run. */
void hook_tell(struct hook *h, const char *path, struct ts_notes *notes);
/* The same for one of which CMD is not told, since it has no stamp. */
void hook_archive(struct hook *h, const char *path, struct ts_notes *notes);
/* Notes programs that failed meanwhile. Never waits. */
void hook_collect(struct hook *h, struct ts_notes *notes);
/* The same once all of them have ended, each within its deadline; then there is no runner. */
void hook_finish(struct hook *h, struct ts_notes *notes);
/* Without waiting for programs. Accepts a zeroed one. */
void hook_close(struct hook *h);

#endif
