/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that stands beside those that read: it takes ^C, and shows on a terminal how far they
 * are.
 *
 * The first ^C raises the stop flag of the progress, and the readers end with what they have. A
 * second one ends the process at once. Where ^C was ignored from the beginning (a background job of
 * a shell), it stays so. What takes longer than a second is shown on stderr, if that is a terminal,
 * once a second in place, and is gone when the vigil ends.
 *
 * Threads: started and ended by the main thread, before and after workers run; SIGINT is blocked in
 * all threads meanwhile. A pager must not be forked while it stands.
 */
#ifndef TS_READER_COMMANDS_INTERRUPT_THREAD_H
#define TS_READER_COMMANDS_INTERRUPT_THREAD_H

#include <signal.h>
#include <stdbool.h>

#include "common/base/stop.h"
#include "common/base/thread.h"
#include "reader/runtime/progress.h"

struct interrupt_thread {
	struct progress *progress;
	struct ts_thread thread;
	struct ts_stop end;
	int signal_fd;
	bool draws;
	bool is_blocked; /* SIGINT; mask is what was before */
	sigset_t mask;
};

/* Was ^C ignored from the beginning? */
bool interrupt_thread_is_unwanted(void);
/* draws: show how far it is. Where a vigil cannot be held, ^C ends the process and nothing is
 * shown. */
void interrupt_thread_start(struct interrupt_thread *v, struct progress *p, bool draws);
void interrupt_thread_end(struct interrupt_thread *v); /* accepts a zeroed one; idempotent */

#endif
