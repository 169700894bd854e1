/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command that is told of each finished directory: --on-snapshot CMD.
 *
 *	main: hook_tell() -> socket -> the runner: CMD PATH, one after the other -> socket -> hook_collect()
 *
 * The runner is a process of its own, forked with the recorded command, before the recorder changes
 * its limits, its scheduling or its memory policy: CMD gets everything as it was, and whatever it
 * does, neither main nor a writer waits for it. It is executed without a shell, with the path as its
 * only argument and nothing to read, and killed when it has taken HOOK_DEADLINE_S. A recorder that dies
 * leaves a runner that ends with the last path it was told.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_HOOK_H
#define TS_STREAMER_HOOK_H

#include <signal.h>
#include <sys/types.h>

#include "common/error.h"
#include "common/notes.h"
#include "streamer/watch.h"

#define HOOK_DEADLINE_S	 60
#define HOOK_WAITING_MAX 16 /* paths; the next one is not told */

struct hook {
	const char *command;  /* not owned */
	pid_t pid;	      /* of the runner; 0: there is none */
	int fd;		      /* a message is a path, and an answer an int of waitpid(); -1: none */
	unsigned int waiting; /* paths without an answer */
};

/* Forks the runner; `signals`, which are blocked, is how CMD gets them. */
int hook_start(struct hook *h, const char *command, const struct watch_signals *signals,
	       struct ts_error *err);
/* A directory is complete. What cannot be told is a note. Nothing where there is no runner. */
void hook_tell(struct hook *h, const char *path, struct ts_notes *notes);
/* Notes commands that failed meanwhile. Never waits. */
void hook_collect(struct hook *h, struct ts_notes *notes);
/* The same once all of them have ended, at most HOOK_DEADLINE_S each; then there is no runner. */
void hook_finish(struct hook *h, struct ts_notes *notes);
/* Without waiting for commands. Accepts a zeroed one. */
void hook_close(struct hook *h);

#endif
