/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of several threads that all sleep. A failure ends the test program.
 *
 * Threads: any.
 */
#ifndef TS_TESTS_SUPPORT_SLEEPERS_H
#define TS_TESTS_SUPPORT_SLEEPERS_H

#include <sys/types.h>

/*
 * Returns when all of them are there; `threads` counts the first one, too. The caller kills the
 * process and waits for it; it is also killed when the thread that made it ends.
 */
pid_t sleepers_make(unsigned int threads);

#endif
