/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's threads: the same function on every core, from a start to a common end.
 *
 * Work is handed out by whoever gives the function (an atomic counter, a list under a lock, a part
 * a thread); this only starts the threads and waits.
 *
 * Threads: workers_run() belongs to one thread, which works as number 0.
 */
#ifndef TS_READER_RUNTIME_WORKERS_H
#define TS_READER_RUNTIME_WORKERS_H

#include <stdint.h>

#define WORKERS_MAX 1024

/* As many as were asked for (--jobs), at most WORKERS_MAX; 0: as many as CPUs that this process may run on. */
unsigned int workers_asked(uint64_t nr);
/*
 * Calls run(arg, n) once for each n = 0 .. nr-1, each in a thread of its own, and returns when all
 * have returned. What no thread could be started for runs in the calling thread afterwards.
 */
void workers_run(unsigned int nr, void (*run)(void *arg, unsigned int n), void *arg);

#endif
