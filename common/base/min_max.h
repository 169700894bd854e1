/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smaller and the larger of two numbers, and their sum: bytes, counts, times.
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

/* UINT64_MAX, if it is too large: numbers of a capture may be any. */
static inline uint64_t ts_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
