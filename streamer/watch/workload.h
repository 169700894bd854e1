/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded command: forked before anything else, held at a pipe until events count, then
 * executed.
 *
 * It is forked before the recorder changes its own limits, threads or scheduling, so that it gets
 * everything as it was, and takes back the signal mask that the recorder blocked meanwhile. A
 * recorder that dies while holding it lets it end without executing anything. What exec() says
 * comes back as a sentence.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_WORKLOAD_H
#define TS_STREAMER_WATCH_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "streamer/watch/caller_state.h"

struct workload {
	pid_t pid;    /* 0: there is none */
	int hold_fd;  /* a byte written here releases the child; -1 once done */
	int error_fd; /* the child's errno when exec fails; end of file when it worked */
	bool executed;
	bool ended; /* reaped; `status` is what waitpid() said */
	int status;
};

/*
 * -ENOENT or -EACCES, with a sentence, when no file of this name can be executed (the PATH of
 * `environment` is searched).
 */
int workload_check(const char *name, char *const *environment, struct ts_error *err);

/* Forks a child that waits to execute argv[0] with argv, with what is in `caller`. */
int workload_fork(struct workload *w, char *const argv[], const struct caller_state *caller,
		  struct ts_error *err);

/* Lets the child execute and waits until it has. A failed exec is the child's errno. */
int workload_release(struct workload *w, struct ts_error *err);

void workload_terminate(struct workload *w); /* SIGTERM, if it runs (or waits to) */
/* True when it has ended; reaps it. Never waits. */
bool workload_has_ended(struct workload *w);
/* Its exit status in the shell's way: 128 + signal where it was killed. Only after it ended. */
int workload_exit_status(const struct workload *w);

/* Closes; a child still held ends. Does not wait for one that runs. Accepts a zeroed one. */
void workload_close(struct workload *w);

#endif
