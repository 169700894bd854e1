/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sum of two numbers that a capture may choose: counts and periods of up to 2^64 - 1.
 *
 * Threads: pure function.
 */
#ifndef TS_COMMON_BASE_SUM_H
#define TS_COMMON_BASE_SUM_H

#include <stdint.h>

/* UINT64_MAX, if the sum is larger. */
static inline uint64_t ts_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
