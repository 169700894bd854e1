/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a ring in which the newest records replace the oldest. The names are perf's.
 *
 *	NOTREADY -> RUNNING -> DATA_PENDING -> EMPTY
 *	               ^                         |
 *	               +-------------------------+
 *
 *	NOTREADY	it is not mapped
 *	RUNNING		the kernel writes to it: nobody reads it
 *	DATA_PENDING	the kernel has been told to write no more; what it holds was not taken yet
 *	EMPTY		it was taken, and is still paused
 *
 * Threads: pure functions. A state has the same owner as its ring.
 */
#ifndef TS_STREAMER_RINGS_OVERWRITE_STATE_H
#define TS_STREAMER_RINGS_OVERWRITE_STATE_H

#include <stdbool.h>

enum overwrite_state {
	OVERWRITE_NOTREADY = 0,
	OVERWRITE_RUNNING,
	OVERWRITE_DATA_PENDING,
	OVERWRITE_EMPTY,
};

/* Moves the state on to `to`. Returns false, and changes nothing, if there is no such step. */
bool overwrite_state_move(enum overwrite_state *state, enum overwrite_state to);

#endif
