/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what synthesis wrote, record by record. Criterion's words: what is malformed fails the test
 * that calls.
 */
#ifndef TS_TESTS_SUPPORT_SYNTHESIZED_H
#define TS_TESTS_SUPPORT_SYNTHESIZED_H

#include <criterion/criterion.h>
#include <string.h>

#include "common/perf/record.h"
#include "streamer/synthesis/synthesis.h"

static const struct perf_event_attr test_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = TS_ATTR_SIZE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
	.sample_id_all = 1,
};

static inline struct synthesis_options test_options(void)
{
	return (struct synthesis_options){.trailer_bytes = ts_record_trailer_bytes(&test_attr)};
}

/*
 * The next record from *at on, NULL at the end; every kernel record must end with a zero trailer.
 */
static inline const struct perf_event_header *next(const struct ts_bytes *b, size_t *at)
{
	static const uint8_t zeros[64];
	const struct perf_event_header *h = (const void *)(b->data + *at);
	size_t trailer = ts_record_trailer_bytes(&test_attr);

	if (*at == b->len)
		return NULL;
	cr_assert_leq(*at + sizeof(*h), b->len);
	cr_assert_geq(h->size, sizeof(*h));
	cr_assert_eq(h->size % 8, 0);
	cr_assert_leq(*at + h->size, b->len);
	if (h->type < TS_RECORD_USER_START && h->type != PERF_RECORD_LOST_SAMPLES)
		cr_assert_eq(memcmp((uint8_t *)h + h->size - trailer, zeros, trailer), 0);
	*at += h->size;
	return h;
}

static inline uint32_t u32_at(const struct perf_event_header *h, size_t offset)
{
	return ts_record_load_u32((const uint8_t *)h + offset);
}

static inline uint64_t u64_at(const struct perf_event_header *h, size_t offset)
{
	return ts_record_load_u64((const uint8_t *)h + offset);
}

/* Offsets of fields in records (linux/perf_event.h). */
enum { PID = 8, TID = 12, COMM_NAME = 16, FORK_PPID = 12, FORK_TID = 16, FORK_PTID = 20 };
enum {
	MAP_ADDR = 16,
	MAP_LEN = 24,
	MAP_PGOFF = 32,
	MMAP_NAME = 40,
	MMAP2_ID = 40,
	MMAP2_PROT = 64,
	MMAP2_NAME = 72
};

static inline const char *name_at(const struct perf_event_header *h, size_t offset)
{
	return (const char *)h + offset;
}

#endif
