/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time in nanoseconds of a clock of the system.
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

#define TS_TIME_NEVER UINT64_MAX /* a deadline that does not come */

/* Now, of that clock; 0 for a clock that the kernel does not know. */
uint64_t ts_clock_ns(clockid_t clock);
/* Smallest step of that clock; 0 for one that the kernel does not know. */
uint64_t ts_clock_resolution_ns(clockid_t clock);

/* CLOCK_MONOTONIC, which all deadlines are in. */
uint64_t ts_now_ns(void);

/* The same time as the kernel takes it. */
struct timespec ts_timespec(uint64_t ns);

#endif
