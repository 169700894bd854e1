// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a perf.data file or what perf wrote to a pipe. All parsed parts must lie inside it,
 * its features must be readable up to their ends, and its records must decode or be refused.
 */
#include "common/perf/header.h"

#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

static void check(int holds)
{
	if (!holds)
		abort();
}

static int is_inside(const void *part, size_t part_len, const uint8_t *data, size_t size)
{
	const uint8_t *at = part;

	return at >= data && at <= data + size && part_len <= (size_t)(data + size - at);
}

static void read_feature(const struct ts_header *h, enum ts_feature bit, const uint8_t *data,
			 size_t size)
{
	struct ts_cursor c = ts_header_feature_cursor(h, bit);
	const char *text;
	uint32_t v;

	if (!c.at)
		return;
	if (bit == TS_FEAT_BUILD_ID && h->is_pipe) /* joined */
		return;
	check(is_inside(c.at, c.left, data, size));
	while (ts_cursor_string(&c, &text) || ts_cursor_u32(&c, &v))
		check(is_inside(c.at, c.left, data, size));
}

static void decode_records(const struct ts_header *h, const uint8_t *data)
{
	uint64_t at = h->data_offset, end = at + h->data_size;
	struct ts_sample sample;

	while (end - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header r = ts_record_load_header(data + at);

		if (r.size < sizeof(r) || r.size > end - at)
			return;
		if (r.type == PERF_RECORD_SAMPLE)
			ts_decode_sample(&h->events, (const void *)(data + at), &sample);
		else
			ts_decode_trailer(&h->events, (const void *)(data + at), &sample.sid);
		at += r.size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_error err = {0};
	struct ts_header h;

	if (ts_header_parse(data, size, "input", &h, &err)) {
		check(err.code && err.text[0]);
		return 0;
	}
	check(h.events.nr > 0 && h.data_offset <= size && h.data_size <= size - h.data_offset);
	for (size_t i = 0; i < h.events.nr; i++)
		check(h.events.items[i].name != NULL);
	for (int bit = 0; bit < TS_PERF_FEATURE_BITS; bit++)
		read_feature(&h, (enum ts_feature)bit, data, size);
	decode_records(&h, data);
	ts_header_release(&h);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	seed_file(nr, out);
}
