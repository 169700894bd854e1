/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's threads: the same function on every core, from a start to a common end.
 *
 * The caller's function takes its own work: from an atomic counter, from a list under a lock, or
 * one part a thread. This module only starts the threads and waits for them.
 *
 * Threads: workers_run() belongs to one thread, which works as number 0.
 */
#ifndef TS_READER_RUNTIME_WORKERS_H
#define TS_READER_RUNTIME_WORKERS_H

#include <stdint.h>

#define WORKERS_MAX 1024

/*
 * The number of threads that --jobs asks for, at most WORKERS_MAX; 0: one for each CPU that this
 * process may use.
 */
unsigned int workers_asked(uint64_t nr);
/*
 * Calls run(arg, n) once for each n = 0 .. nr-1, each in a thread of its own, and returns when all
 * have returned. If a thread cannot be started, the calling thread runs its share afterwards.
 */
void workers_run(unsigned int nr, void (*run)(void *arg, unsigned int n), void *arg);

#endif
