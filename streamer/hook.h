/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command that is told of each finished directory: --on-snapshot CMD.
 *
 * A runner (runner.h) executes CMD with the path as its only argument, one after the other, and kills it
 * when it has taken HOOK_DEADLINE_S: whatever it does, neither main nor a writer waits for it.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_HOOK_H
#define TS_STREAMER_HOOK_H

#include "common/error.h"
#include "common/notes.h"
#include "streamer/runner.h"

#define HOOK_DEADLINE_S	 60
#define HOOK_WAITING_MAX 16 /* paths; the next one is not told */

struct hook {
	const char *command; /* not owned; NULL: there is none */
	struct runner runner;
};

/* Forks the runner; `signals`, which are blocked, is how CMD gets them, log_fd as in runner.h. */
int hook_start(struct hook *h, const char *command, int log_fd, const struct watch_signals *signals,
	       struct ts_error *err);
/* A directory is complete. What cannot be told is a note. Nothing where there is no command. */
void hook_tell(struct hook *h, const char *path, struct ts_notes *notes);
/* Notes commands that failed meanwhile. Never waits. */
void hook_collect(struct hook *h, struct ts_notes *notes);
/* The same once all of them have ended, at most HOOK_DEADLINE_S each; then there is no runner. */
void hook_finish(struct hook *h, struct ts_notes *notes);
/* Without waiting for commands. Accepts a zeroed one. */
void hook_close(struct hook *h);

#endif
