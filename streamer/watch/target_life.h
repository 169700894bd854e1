/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells when recorded tasks, and all that they started meanwhile, are gone.
 *
 * For each target thread there is a dummy event, inherited by what it starts, redirected to a ring
 * of no data pages that nobody writes to. The kernel reports such an event as hung up once the task
 * and every inheritor have exited, and only then. These descriptors are polled for nothing else;
 * polling the sample events themselves would steal their writers' wake-ups.
 *
 * Threads: main thread only.
 *
 * Source: kernel/events/core.c, perf_poll() and is_event_hup().
 */
#ifndef TS_STREAMER_WATCH_TARGET_LIFE_H
#define TS_STREAMER_WATCH_TARGET_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/error.h"

struct target_life {
	int epoll_fd; /* readable when a target has gone; -1: not open */
	int owner_fd;
	void *page;
	int *fds; /* owned; one a target thread; -1: gone */
	size_t nr, nr_alive;
};

/*
 * Watches these threads, on a CPU that is online. A thread that has gone already is left out;
 * -ESRCH when none is left.
 */
int target_life_open(struct target_life *l, const pid_t *tids, size_t nr, int cpu,
		     struct ts_error *err);

/* Call when epoll_fd is readable: true once everybody is gone. */
bool target_life_is_over(struct target_life *l);

void target_life_close(struct target_life *l); /* accepts { .epoll_fd = -1 }; idempotent */

#endif
