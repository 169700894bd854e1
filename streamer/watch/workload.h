/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded command. It is forked first, after the runners (program_runner.h). It is held at a
 * pipe until events count, and then executed.
 *
 * It is forked before the recorder changes its own limits, threads or scheduling, so it has those
 * of the caller. It restores the signal mask that the recorder has changed. If the recorder dies
 * while it holds the child, the child ends without executing anything. An error of exec() is
 * reported as a sentence.
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
	pid_t pid;    /* 0: no command */
	int hold_fd;  /* a byte written here releases the child; -1 once done */
	int error_fd; /* the child's errno if exec fails; end of file if it worked */
	bool executed;
	bool ended; /* reaped; `status` is that of waitpid() */
	int status;
};

/*
 * Searches the PATH of `environment`. -ENOENT or -EACCES, with a sentence: no file of this name can
 * be executed.
 */
int workload_check(const char *name, char *const *environment, struct ts_error *err);

/* Forks a child that waits to execute argv[0] with argv, in the state of `caller`. */
int workload_fork(struct workload *w, char *const argv[], const struct caller_state *caller,
		  struct ts_error *err);

/* Lets the child execute and waits until it has. If exec fails, returns the child's -errno. */
int workload_release(struct workload *w, struct ts_error *err);

void workload_terminate(struct workload *w); /* sends SIGTERM if it runs or is held */
/* True if the command has ended; it is reaped then. Never waits. */
bool workload_has_ended(struct workload *w);
/* The exit status as a shell has it: 128 + signal if it was killed. Only after the end. */
int workload_exit_status(const struct workload *w);

/*
 * Closes. A child that is still held ends; a running one is not waited for. Accepts a zeroed
 * struct.
 */
void workload_close(struct workload *w);

#endif
