/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a ring in which the newest records replace the oldest. The names are perf's.
 *
 *	NOTREADY -> RUNNING -> DATA_PENDING -> EMPTY
 *	               ^                         |
 *	               +-------------------------+
 *
 *	NOTREADY	it is not mapped
 *	RUNNING		the kernel writes to it
 *	DATA_PENDING	it is paused: the kernel writes no more; its records are not taken yet
 *	EMPTY		its records are taken; it is still paused
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
