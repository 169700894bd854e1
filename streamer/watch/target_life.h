/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports when the recorded tasks are gone, and all recorded tasks that they started meanwhile.
 *
 * Each target thread has a dummy event, which the tasks that it starts inherit. The dummy is
 * redirected to a ring without data pages, to which nobody writes. The kernel reports such an event
 * as hung up only once the task and all inheritors have exited. These descriptors serve no other
 * purpose. Polling the sample events themselves would steal their writers' wake-ups.
 *
 * Threads: main thread only.
 *
 * Source: kernel/events/core.c, perf_poll() and is_event_hup().
 */
#ifndef TS_STREAMER_WATCH_TARGET_LIFE_H
#define TS_STREAMER_WATCH_TARGET_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

typedef pid_t (*target_life_next)(const void *arg, pid_t after);

struct target_life {
	int epoll_fd; /* readable if a target is gone; -1: not open */
	int owner_fd;
	bool inherits;
	void *page;
	int *fds; /* owned; one for each target thread; -1: gone */
	size_t nr, nr_alive;
	/* of target_life_open_processes(); NULL: threads are watched */
	target_life_next next;
	const void *arg;
	uint64_t grace_ns;
	bool was_patient; /* the descriptor is the timer of the grace */
};

/*
 * Watches these threads, on a CPU that is online, and with `inherits` the tasks that they start. A
 * thread that is gone already is left out.
 * -ESRCH: none is left.
 */
int target_life_open(struct target_life *l, const pid_t *tids, size_t nr, int cpu, bool inherits,
		     struct ts_error *err);

/*
 * Watches processes instead, one after the other, by one descriptor. `next` gives the lowest number
 * of a process to watch above another, or 0. If none is left, it is asked once more after
 * `grace_ns`: what the last one started may become known as late as that. -ESRCH: none is left.
 * -ENOSYS: the kernel is older than Linux 5.3.
 */
int target_life_open_processes(struct target_life *l, target_life_next next, const void *arg,
			       uint64_t grace_ns, struct ts_error *err);

/* Call it if epoll_fd is readable. Returns true once all targets are gone. */
bool target_life_is_over(struct target_life *l);

void target_life_close(struct target_life *l); /* accepts { .epoll_fd = -1 }; idempotent */

#endif
