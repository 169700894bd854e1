/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that runs programs for main, which never waits for them.
 *
 *	main: program_runner_tell() -> memfd, by a socket -> the runner: PROGRAM ARGUMENT..., one at a time
 *	      -> socket -> main: program_runner_take()
 *
 * The runner is forked before the recorder changes its limits, its scheduling or its memory policy.
 * So programs get all of these as the caller had them, and an empty standard input. They are
 * executed without a shell. If the recorder dies, the runner still runs all programs that it was
 * told, and ends.
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

struct program_runner {
	pid_t pid;	      /* 0: no runner */
	int fd;		      /* readable: a program has ended; -1: closed */
	unsigned int waiting; /* programs told and not ended */
};

#define PROGRAM_RUNNER_INIT                                                                        \
	{                                                                                          \
		.fd = -1                                                                           \
	}

struct program_runner_plan {
	const char *what;	 /* for the error message */
	unsigned int deadline_s; /* a program is killed after so many seconds; 0: never */
	int log_fd; /* for the output of programs; the caller's; -1: the recorder's own output */
	const struct caller_state *caller; /* programs get this state */
	/*
	 * Removes the unfinished output of a program that a signal ended, in a process of its own, which is
	 * killed after PROGRAM_RUNNER_CLEAR_S seconds. argv ends with NULL. NULL: there is nothing to do.
	 */
	void (*clear)(char *const *argv);
};

#define PROGRAM_RUNNER_CLEAR_S 10

#define PROGRAM_RUNNER_TOO_LONG 125 /* exit status: E2BIG; neither sh nor tstream has it */

/* Forks the runner. */
int program_runner_start(struct program_runner *r, const struct program_runner_plan *plan,
			 struct ts_error *err);
/*
 * Tells the runner to run a program. words[0] is the program, searched in PATH if it has no slash.
 * Only execve(2) bounds their number, usually 2 MiB with 8 bytes a word: beyond it the program fails
 * with PROGRAM_RUNNER_TOO_LONG. -EAGAIN: the runner does not take it. -ENOMEM.
 */
int program_runner_tell(struct program_runner *r, const char *const *words, size_t nr);
/*
 * Returns the next status of waitpid(), in the order of the programs. False: no program has ended,
 * or with `waits` none will end any more. If the runner has died, fd is -1 from now on, and all
 * programs that it was told count as failed.
 */
bool program_runner_take(struct program_runner *r, bool waits, int *ret_status);
/*
 * Waits for the end of the runner. Call it after program_runner_take() has returned all programs.
 */
void program_runner_finish(struct program_runner *r);
/* Closes without waiting for programs. Accepts PROGRAM_RUNNER_INIT; idempotent. */
void program_runner_close(struct program_runner *r);

#endif
