// SPDX-License-Identifier: Apache-2.0
/*
 * The input is the most that a record may expand to, and compressed records of perf's. No record may
 * give more than that, and every refusal is a sentence.
 */
#include "common/perf/inflate.h"

#include <stdlib.h>

#include "common/perf/record.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

#define OUTPUT_MAX (64u << 20) /* enough of one input */

static void check(int holds)
{
	if (!holds)
		abort();
}

/* Reads one record to its end; the bytes that came out, or < 0. */
static ssize_t read_record(struct ts_inflater *in, uint32_t limit, size_t cap)
{
	static uint8_t out[1 << 16];
	struct ts_error err = {0};
	size_t total = 0;
	ssize_t n;

	while ((n = ts_inflater_read(in, out, cap, &err)) > 0) {
		check((size_t)n <= cap);
		total += (size_t)n;
		if (total > OUTPUT_MAX)
			return -1;
	}
	check(n == 0 || (err.code && err.text[0]));
	check(n < 0 || !limit || total <= limit);
	return n < 0 ? -1 : (ssize_t)total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_inflater in;
	struct ts_error err = {0};
	uint32_t limit;

	if (size < 8)
		return 0;
	limit = ts_record_load_u32(data);
	check(!ts_inflater_init(&in, limit, &err));
	for (size_t at = 8, span; at < size; at += span) {
		span = ts_inflater_span(data + at, size - at);
		check(span <= size - at);
		if (!span || ts_inflater_feed(&in, data + at, size - at, &err) ||
		    read_record(&in, limit, 1 + ts_record_load_u32(data + 4) % 65535) < 0)
			break;
	}
	ts_inflater_release(&in);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	ts_bytes_u32(out, nr % 4 ? TS_COMPRESS_MMAP_LEN : nr);
	ts_bytes_u32(out, nr % 5 ? 65535 : nr);
	seed_foreign_stream(nr / 2 * 3 + 1 + nr % 2, out);
}
