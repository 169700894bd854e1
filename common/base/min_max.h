/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smaller and the larger of two numbers: bytes, counts, times.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_BASE_MIN_MAX_H
#define TS_COMMON_BASE_MIN_MAX_H

#include <stdint.h>

static inline uint64_t ts_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t ts_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
