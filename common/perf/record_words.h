/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of records that take one word each. Shared by record.c and event_list.c alone.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_PERF_RECORD_WORDS_H
#define TS_COMMON_PERF_RECORD_WORDS_H

#include <linux/perf_event.h>
#include <stdint.h>

/* sample_type bits of the trailer, one word each. */
#define TS_TRAILER_BITS                                                                            \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* The number of words of the fields behind these bits. */
static inline uint32_t ts_record_words(uint64_t bits)
{
	return (uint32_t)__builtin_popcountll(bits);
}

#endif
