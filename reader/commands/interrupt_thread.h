/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interrupt thread (tstream-vigil) runs beside the readers. It takes ^C and draws their
 * progress on a terminal.
 *
 * The first ^C raises the stop flag of the progress, and the readers end with their result so far.
 * A second ^C ends the process at once. If ^C was ignored from the beginning (a background job of a
 * shell), it stays ignored. If stderr is a terminal, progress is drawn there in place once a
 * second, after the first second. The line is erased when the thread ends.
 *
 * Threads: the main thread starts and ends it, before and after workers run. Meanwhile SIGINT is
 * blocked in all threads. A pager must not be forked while the interrupt thread runs.
 */
#ifndef TS_READER_COMMANDS_INTERRUPT_THREAD_H
#define TS_READER_COMMANDS_INTERRUPT_THREAD_H

#include <signal.h>
#include <stdbool.h>

#include "common/base/stop.h"
#include "common/base/thread.h"
#include "reader/runtime/progress.h"

#define INTERRUPT_STATUS 130 /* exit status after ^C: 128 + SIGINT, as in a shell */

struct interrupt_thread {
	struct progress *progress;
	struct ts_thread thread;
	struct ts_stop end;
	int signal_fd;
	bool draws;
	bool is_blocked; /* SIGINT is blocked; mask is the former one */
	sigset_t mask;
};

/* Was ^C ignored from the beginning? */
bool interrupt_thread_is_unwanted(void);
/*
 * draws: show the progress. If the thread cannot be started, ^C ends the process and no progress is
 * shown.
 */
void interrupt_thread_start(struct interrupt_thread *v, struct progress *p, bool draws);
void interrupt_thread_end(struct interrupt_thread *v); /* accepts a zeroed one; idempotent */

#endif
