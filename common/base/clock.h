/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nanoseconds of a system clock.
 *
 * Threads: any.
 */
#ifndef TS_COMMON_BASE_CLOCK_H
#define TS_COMMON_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define TS_NS_PER_SEC 1000000000ULL
#define TS_NS_PER_MS  1000000ULL
#define TS_NS_PER_US  1000ULL

#define TS_TIME_NEVER UINT64_MAX /* a deadline that never comes */

/* The time of that clock now; 0 for a clock that the kernel does not know. */
uint64_t ts_clock_ns(clockid_t clock);
/* The smallest step of that clock; 0 for a clock that the kernel does not know. */
uint64_t ts_clock_resolution_ns(clockid_t clock);

/* The time of CLOCK_MONOTONIC, the clock of all deadlines. */
uint64_t ts_clock_now_ns(void);

/* The same time in the form that system calls take. */
struct timespec ts_clock_timespec(uint64_t ns);

#endif
