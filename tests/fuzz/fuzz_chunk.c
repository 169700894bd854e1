// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a stream of ours, plain or compressed. Half of the inputs get right checksums and
 * places first, so that the code behind these checks is reached, too. All finds must lie inside,
 * and decompressing must stay within the memory that it was given.
 */
#include "common/stream/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "common/perf/record.h"
#include "common/stream/compress.h"
#include "common/stream/stream_index.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"

#define RAW_MAX (1u << 20)

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_index(const uint8_t *data, size_t size)
{
	struct ts_index ix;
	struct ts_chunk c;

	if (ts_index_last(data, size, size, &ix) != TS_FOUND_OK)
		return;
	check(ix.nr && ix.offset < size && ix.record_bytes <= size - ix.offset);
	check(ix.prev_offset == TS_NO_OFFSET || ix.prev_offset < ix.offset);
	for (uint32_t i = 0; i < ix.nr; i++)
		if (ts_index_chunk(&ix, i, &c))
			check(c.offset + c.header_bytes + c.payload_bytes <= ix.offset);
}

static void expand(const struct ts_chunk *c, const uint8_t *payload, size_t len)
{
	size_t raw_bytes = c->raw_bytes < RAW_MAX ? c->raw_bytes : RAW_MAX;
	uint8_t *raw = malloc(raw_bytes ? raw_bytes : 1);
	struct ts_decompressor d = {0};
	struct ts_error err = {0};
	int rc;

	check(raw && !ts_decompressor_init(&d, &err));
	rc = ts_decompressor_expand(&d, payload, len, raw, raw_bytes, &err);
	check(rc == 0 || (err.code && err.text[0]));
	check(ts_decompressor_expand_partial(&d, payload, len, raw, raw_bytes) <= raw_bytes);
	ts_decompressor_release(&d);
	free(raw);
}

static void check_chunks(const uint8_t *data, size_t size)
{
	uint64_t at = ts_chunk_next_magic(data, size, 0);

	while (at != TS_NO_OFFSET) {
		struct ts_chunk c;
		size_t len, whole;
		bool is_covered;

		check(at % 8 == 0 && ts_chunk_parse(data + at, size - at, at, &c) == TS_FOUND_OK);
		check(c.offset == at && c.header_bytes <= size - at);
		len = size - at - c.header_bytes;
		len = c.payload_bytes < len ? c.payload_bytes : len;
		whole = ts_chunk_whole_bytes(data + at + c.header_bytes, len, &is_covered);
		check(whole <= len);
		expand(&c, data + at + c.header_bytes, len);
		at = ts_chunk_next_magic(data, size, at + 8);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	if (size % 16 < 8)
		seal_stream(copy, size);
	check_index(copy, size);
	check_chunks(copy, size);
	free(copy);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	seed_own_stream(nr, out);
}
