/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stop flag: raised once, seen by every thread, by a look or by a wake-up.
 *
 * It is an atomic flag and an eventfd, which stays readable once the flag is up. A thread that
 * waits in poll, epoll or io_uring wakes up; a busy thread sees the flag at its next look. Only
 * where a single thread waits for the flag may that thread lower it again.
 *
 * Threads: ts_stop_raise() and ts_stop_is_raised() from any thread. Init and release belong to the
 * thread that owns the struct, before and after all others.
 */
#ifndef TS_COMMON_BASE_STOP_H
#define TS_COMMON_BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/base/error.h"

struct ts_stop {
	atomic_bool raised; /* shared: ordering note 2 of docs/threads.md */
	int fd; /* eventfd, readable for ever once raised; constant after init; -1 when released */
};

/* Sets up a lowered flag. Fails if no descriptor is left. */
int ts_stop_init(struct ts_stop *stop, struct ts_error *err);
void ts_stop_release(struct ts_stop *stop); /* closes the eventfd; idempotent after init */

/* Raises the flag. A thread that finds it up also sees the earlier writes of the caller. */
void ts_stop_raise(struct ts_stop *stop);
/* Lowers the flag; only for the thread that waits for it. */
void ts_stop_lower(struct ts_stop *stop);
bool ts_stop_is_raised(const struct ts_stop *stop);

#endif
