/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A named thread that blocks all signals but SIGBUS, starts on given CPUs, and is always joined.
 *
 * Its result and its error lie in the struct that its function got; the thread that started it
 * reads them after ts_thread_join(). The stack has a fixed size and is mapped before the start.
 *
 * Threads: start and join belong to one owner. The name has at most 15 bytes, as /proc shows it.
 */
#ifndef TS_COMMON_BASE_THREAD_H
#define TS_COMMON_BASE_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

#define TS_THREAD_NAME_BYTES 16

struct ts_thread {
	pthread_t id;
	bool is_started; /* and not yet joined */
	char name[TS_THREAD_NAME_BYTES];
	void (*run)(void *arg);
	void *arg;
};

/*
 * Starts run(arg) in a new thread. `cpus` (cpus_bytes long, any number of CPUs) is its affinity
 * from the first instruction; NULL inherits the caller's. The struct must stay in its place until
 * the join.
 */
int ts_thread_start(struct ts_thread *t, const char *name, const cpu_set_t *cpus, size_t cpus_bytes,
		    void (*run)(void *arg), void *arg, struct ts_error *err);

/* Waits for the end of the thread. Does nothing for a zeroed, failed or already joined one. */
void ts_thread_join(struct ts_thread *t);

#endif
