/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stop flag: raised once, seen by every thread, by a look or by a wake-up.
 *
 * It is an atomic flag beside an eventfd that stays readable once the flag is up, so a thread
 * that waits in poll, epoll or io_uring is woken, and one that is busy finds out at its next look.
 * It goes down again only where a single thread waits for it, by that thread.
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

/* Down. Fails where no descriptor is left. */
int ts_stop_init(struct ts_stop *stop, struct ts_error *err);
void ts_stop_release(struct ts_stop *stop); /* closes the eventfd; idempotent after init */

/* Raises the flag. What the caller wrote before is seen by whoever finds the flag up. */
void ts_stop_raise(struct ts_stop *stop);
/* Lowers it, for the thread that waits for it. */
void ts_stop_lower(struct ts_stop *stop);
bool ts_stop_is_raised(const struct ts_stop *stop);

#endif
