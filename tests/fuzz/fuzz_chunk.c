// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a stream of ours, plain or compressed. Half of the inputs get right checksums and
 * places first, so that what is behind them is reached, too. Whatever is found must lie inside, and
 * decompressing must stay within what it was given.
 */
#include "common/chunk.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/compress.h"
#include "common/record.h"
#include "common/stream.h"
#include "common/stream_disk.h"
#include "tests/fuzz/fuzz.h"

#define SEED_BLOCK (64u << 10)
#define RAW_MAX	   (1u << 20)

static void check(int holds)
{
	if (!holds)
		abort();
}

/* Gives a record of ours at `at` the checksum and the place that it should have. */
static void seal(uint8_t *at, size_t left, uint64_t offset)
{
	struct ts_disk_head head;

	if (left < sizeof(head))
		return;
	memcpy(&head, at, sizeof(head));
	if (head.hdr.type != TS_RECORD_EVENT_TYPE || head.hdr.misc || head.hdr.size % 8 ||
	    head.hdr.size < sizeof(head) || head.hdr.size > left ||
	    (head.magic != TS_MAGIC_CHUNK && head.magic != TS_MAGIC_INDEX &&
	     head.magic != TS_MAGIC_FOOTER))
		return;
	memcpy(at + offsetof(struct ts_disk_head, offset), &offset, sizeof(offset));
	ts_disk_seal(at, head.magic, head.hdr.size);
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
	rc = ts_decompress_chunk(&d, payload, len, raw, raw_bytes, &err);
	check(rc == 0 || (err.code && err.text[0]));
	check(ts_decompress_partial(&d, payload, len, raw, raw_bytes) <= raw_bytes);
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

/* The records of a foreign file: all that come out of its compressed ones, one after the other. */
static void inflate(const uint8_t *data, size_t size)
{
	struct ts_inflater in;
	struct ts_error err;
	uint8_t out[4096];
	ssize_t n = 1;

	check(!ts_inflater_init(&in, TS_COMPRESS_MMAP_LEN, &err));
	for (size_t at = 0, span; n >= 0 && at < size; at += span) {
		span = ts_compressed_span(data + at, size - at);
		check(span <= size - at);
		if (!span || ts_inflater_feed(&in, data + at, size - at, &err))
			break;
		while ((n = ts_inflater_read(&in, out, sizeof(out), &err)) > 0)
			check((size_t)n <= sizeof(out));
	}
	ts_inflater_release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	for (size_t at = 0; size % 16 < 8 && at < size; at += 8)
		seal(copy + at, size - at, at);
	check_index(copy, size);
	check_chunks(copy, size);
	inflate(copy, size);
	free(copy);
	return 0;
}

/* A chunk of small records that differ a little. */
static void put_chunk(struct ts_stream *s, struct ts_compressor *zstd, uint32_t nr)
{
	struct ts_chunk c = {.ring = 1, .cpu = 1, .time_min_ns = 1, .time_max_ns = nr};
	static uint64_t raw[3 * 64];
	struct perf_event_header h = {.type = PERF_RECORD_LOST, .size = 24};

	c.nr_records = 1 + nr % 64;
	for (uint32_t i = 0; i < c.nr_records; i++) {
		memcpy(&raw[3 * i], &h, sizeof(h));
		raw[3 * i + 1] = i % 5;
		raw[3 * i + 2] = nr;
	}
	c.raw_bytes = 24 * c.nr_records;
	c.payload_bytes = c.raw_bytes;
	if (nr % 2) {
		c.flags = TS_CHUNK_COMPRESSED;
		c.payload_bytes = ts_compress(zstd, raw, c.raw_bytes, ts_stream_payload(s));
	} else {
		memcpy(ts_stream_payload(s), raw, c.raw_bytes);
	}
	ts_stream_end_chunk(s, &c);
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	static const uint8_t uuid[16] = {1, 2, 3};
	void *block = aligned_alloc(TS_BLOCK_ALIGN, SEED_BLOCK);
	struct ts_compressor zstd;
	struct ts_stream s;
	struct ts_error err;

	check(block && !ts_compressor_init(&zstd, 1, &err));
	ts_stream_init(&s, uuid, 0, TS_BLOCK_ALIGN);
	ts_stream_begin_block(&s, block, SEED_BLOCK);
	for (uint32_t i = 0; i < 1 + nr % 5; i++)
		put_chunk(&s, &zstd, nr / 5 + i);
	ts_bytes_put(out, block, ts_stream_end_block(&s));
	if (nr % 3) {
		ts_stream_begin_block(&s, block, SEED_BLOCK);
		ts_bytes_put(out, block, ts_stream_finish(&s));
	}
	ts_compressor_release(&zstd);
	free(block);
}
