// SPDX-License-Identifier: Apache-2.0
#include "common/stream/stream.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <string.h>

#include "common/stream/checksum.h"

/*
 * A block ends with padding of at least TS_FILLER_MIN_BYTES, or without padding if it is full to
 * the byte. The contents must therefore leave that much space before cap, which is a multiple of
 * align. A gap that is too small for a filler can then always take one more align.
 */
#define END_RESERVE TS_FILLER_MIN_BYTES

static_assert(TS_INDEX_MAX_BYTES + TS_FOOTER_BYTES + END_RESERVE <= TS_STREAM_FINISH_MAX,
	      "the final index and the footer fit");

void ts_stream_init(struct ts_stream *s, const uint8_t uuid[16], uint32_t cut, size_t align)
{
	assert(align >= TS_BLOCK_ALIGN && (align & (align - 1)) == 0);
	memset(s, 0, sizeof(*s));
	memcpy(s->uuid, uuid, sizeof(s->uuid));
	s->cut = cut;
	s->align = align;
	s->index_offset = TS_NO_OFFSET;
}

void ts_stream_begin_block(struct ts_stream *s, void *buffer, size_t size)
{
	assert(!s->block && size && size % s->align == 0 && (uintptr_t)buffer % 8 == 0);
	s->block = buffer;
	s->cap = size;
	s->used = 0;
	s->block_offset = s->next_offset;
}

size_t ts_stream_room(const struct ts_stream *s)
{
	/* the index record follows the chunk that fills the index */
	const size_t index = s->nr_pending + 1 == TS_INDEX_ENTRIES ? TS_INDEX_MAX_BYTES : 0;
	const size_t taken = s->used + TS_CHUNK_HEADER_BYTES + index + END_RESERVE;

	return taken < s->cap ? s->cap - taken : 0;
}

void *ts_stream_payload(const struct ts_stream *s)
{
	return s->block + s->used + TS_CHUNK_HEADER_BYTES;
}

static void put_index(struct ts_stream *s)
{
	struct ts_index ix = {
		.cut = s->cut,
		.nr = s->nr_pending,
		.offset = s->block_offset + s->used,
		.prev_offset = s->index_offset,
		.first_seq = s->next_seq - s->nr_pending,
		.entries = s->pending[0],
	};

	memcpy(ix.uuid, s->uuid, sizeof(ix.uuid));
	s->used += ts_index_pack(&ix, s->block + s->used);
	s->index_offset = ix.offset;
	s->nr_pending = 0;
}

void ts_stream_end_chunk(struct ts_stream *s, struct ts_chunk *c)
{
	assert(c->payload_bytes && c->payload_bytes % 8 == 0 &&
	       c->payload_bytes <= ts_stream_room(s));
	memcpy(c->uuid, s->uuid, sizeof(c->uuid));
	c->cut = s->cut;
	c->offset = s->block_offset + s->used;
	c->seq = s->next_seq++;
	c->header_bytes = TS_CHUNK_HEADER_BYTES;
	c->checksum = ts_checksum(ts_stream_payload(s), c->payload_bytes);
	ts_chunk_pack(c, s->block + s->used);
	ts_index_pack_entry(c, s->pending[s->nr_pending++]);
	s->used += TS_CHUNK_HEADER_BYTES + c->payload_bytes;
	s->nr_records += c->nr_records;
	s->raw_bytes += c->raw_bytes;
	if (s->nr_pending == TS_INDEX_ENTRIES)
		put_index(s);
}

/* Adds padding that makes used + tail a multiple of align, in a size that a filler can have. */
static void pad_block(struct ts_stream *s, size_t tail)
{
	size_t gap = -(s->used + tail) & (s->align - 1);

	if (gap && gap < TS_FILLER_MIN_BYTES)
		gap += s->align;
	ts_chunk_filler(s->block + s->used, gap);
	s->used += gap;
}

size_t ts_stream_end_block(struct ts_stream *s)
{
	pad_block(s, 0);
	assert(s->used <= s->cap);
	s->next_offset += s->used;
	s->block = NULL;
	return s->used;
}

size_t ts_stream_finish(struct ts_stream *s)
{
	struct ts_footer f = {
		.cut = s->cut,
		.nr_chunks = s->next_seq,
		.nr_records = s->nr_records,
		.raw_bytes = s->raw_bytes,
	};

	assert(s->block && s->used == 0 && s->cap >= TS_STREAM_FINISH_MAX);
	if (s->nr_pending)
		put_index(s);
	pad_block(s, TS_FOOTER_BYTES);
	memcpy(f.uuid, s->uuid, sizeof(f.uuid));
	f.index_offset = s->index_offset;
	f.offset = s->block_offset + s->used;
	ts_footer_pack(&f, s->block + s->used);
	s->used += TS_FOOTER_BYTES;
	return ts_stream_end_block(s);
}

size_t ts_stream_whole_records(const void *block, size_t len, size_t limit)
{
	const uint8_t *bytes = block;
	size_t at = 0;

	while (at < len) {
		struct perf_event_header hdr;

		memcpy(&hdr, bytes + at, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || at + hdr.size > limit)
			break;
		at += hdr.size;
	}
	return at;
}
