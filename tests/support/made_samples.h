/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples built field by field from an attr, with random contents, beside what a decoder must say
 * about them.
 *
 * Threads: one; the random words are one sequence, the same in each run.
 */
#ifndef TS_TESTS_SUPPORT_MADE_SAMPLES_H
#define TS_TESTS_SUPPORT_MADE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"

/* The next word of a fixed pseudo-random sequence (xorshift64). */
uint64_t random_word(void);

/* An attr with this sample_type, sample_id_all, and some registers. */
struct perf_event_attr attr_of(uint64_t sample_type);

/* Gives the record in `b` (its first 8 bytes are room for it) a header of this type. */
void seal_record(struct ts_bytes *b, uint32_t type);

/* Makes `b` a SAMPLE of the event with this id. */
void build_sample(const struct perf_event_attr *attr, uint64_t id, struct ts_bytes *b,
		  struct ts_sample *want);

/* Makes `b` a LOST record; its body is random words. */
void build_lost(const struct perf_event_attr *attr, uint64_t id, struct ts_bytes *b,
		struct ts_sample_id *want);

/* A copy of a record in a block of its own size, at an odd address. */
struct odd {
	uint8_t *block; /* the caller frees it */
	const struct perf_event_header *hdr;
};

/* The first `size` bytes of `b`, and a header that says so. */
struct odd odd_copy(const struct ts_bytes *b, size_t size);

#endif
