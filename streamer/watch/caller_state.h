/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's signals and environment. The recorder starts processes for its caller (the command,
 * hooks, merges), and these get both back. They have the caller's limits, scheduling and memory
 * policy anyway, because they are forked before the recorder changes its own.
 *
 * Threads: main writes it before it forks runners and command. It is constant until main restores
 * the state at its end.
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
 * Restores the state: in a child before it executes a program (safe after fork), or in main at its
 * end. The signals are known only after watch_block_signals().
 */
void caller_state_restore(const struct caller_state *state);

#endif
