/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that the recorder starts for its caller (the command, hooks, merges) gets back as
 * the caller had it: signals and the environment. Limits, scheduling and memory policy it has because
 * it is forked before the recorder changes its own.
 *
 * Threads: written by main before anything is forked; constant until main restores it at its end.
 */
#ifndef TS_STREAMER_WATCH_CALLER_STATE_H
#define TS_STREAMER_WATCH_CALLER_STATE_H

#include <signal.h>
#include <stdbool.h>

struct caller_state {
	sigset_t mask;
	struct sigaction sigchld, sigxfsz;
	char *const *environment; /* not owned; NULL: that of this process */
	bool blocked;		  /* watch_block_signals() has filled in the signals */
};

/*
 * In a child, before it executes a program (safe after fork), or in main at its end. Only after
 * watch_block_signals() does it know how signals stood.
 */
void caller_state_restore(const struct caller_state *state);

#endif
