// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/read_values.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static uint64_t words_of(uint64_t bits)
{
	return (uint64_t)__builtin_popcountll(bits);
}

/* How many words each counter of a group takes. */
static uint64_t stride_of(uint64_t format)
{
	return 1 + words_of(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
}

struct read_values read_values(const struct ts_words *read, uint64_t read_format)
{
	struct read_values r = {.format = read_format, .words = *read};
	uint64_t fixed = 1 + words_of(read_format & TIMES), at = 1;

	if (!read->data || read->nr < fixed)
		return r;
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		r.enabled_ns = ts_word(read, at++);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		r.running_ns = ts_word(read, at);
	/* The count comes from the size of the block, since its own count may be too large. */
	r.nr = read_format & PERF_FORMAT_GROUP ? (read->nr - fixed) / stride_of(read_format) : 1;
	return r;
}

struct read_value read_value(const struct read_values *r, uint64_t i)
{
	uint64_t at = 1 + words_of(r->format & TIMES);
	struct read_value v = {0};

	if (r->format & PERF_FORMAT_GROUP) {
		at += i * stride_of(r->format);
		v.value = ts_word(&r->words, at++);
	} else {
		v.value = ts_word(&r->words, 0);
	}
	if (r->format & PERF_FORMAT_ID)
		v.id = at < r->words.nr ? ts_word(&r->words, at++) : 0;
	if (r->format & PERF_FORMAT_LOST)
		v.lost = at < r->words.nr ? ts_word(&r->words, at) : 0;
	return v;
}
