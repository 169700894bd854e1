/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that runs programs for main, which never waits for them.
 *
 *	main: program_runner_tell() -> socket -> the runner: PROGRAM ARGUMENT..., one after the other -> socket
 *	      -> program_runner_take()
 *
 * It is forked before the recorder changes its limits, its scheduling or its memory policy: programs
 * get everything as it was, and nothing to read. They are executed without a shell. A recorder that
 * dies leaves a runner that ends with the last thing it was told.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_PROGRAM_RUNNER_H
#define TS_STREAMER_WATCH_PROGRAM_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "streamer/watch/watch.h"

#define PROGRAM_RUNNER_MESSAGE_BYTES (64 << 10) /* words of a command line, each with its NUL */
#define PROGRAM_RUNNER_WORDS_MAX     4096

struct program_runner {
	pid_t pid;	      /* 0: there is none */
	int fd;		      /* readable: a program has ended; -1 */
	unsigned int waiting; /* told and not ended */
};

#define PROGRAM_RUNNER_INIT                                                                        \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * Forks it; programs get what is in `caller`. A program is killed when it has
 * taken deadline_s; 0: never. What programs print goes to log_fd, which remains the caller's; -1: to
 * where the recorder's goes. `what` is for the sentence.
 */
int program_runner_start(struct program_runner *r, const char *what, unsigned int deadline_s,
			 int log_fd, const struct caller_state *caller, struct ts_error *err);
/* words[0] is the program, looked for in PATH where it has no slash. -EAGAIN: it is not taken. */
int program_runner_tell(struct program_runner *r, const char *const *words, size_t nr);
/*
 * The next status of waitpid(), in the order told; false: none, or with `waits` none to come. Where the
 * process has died fd is -1 from now on, and all that were told have failed.
 */
bool program_runner_take(struct program_runner *r, bool waits, int *ret_status);
/* After program_runner_take() has had all of them: until the process has ended. */
void program_runner_finish(struct program_runner *r);
/* Without waiting for programs. Accepts PROGRAM_RUNNER_INIT; idempotent. */
void program_runner_close(struct program_runner *r);

#endif
