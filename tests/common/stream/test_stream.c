// SPDX-License-Identifier: Apache-2.0
#include "common/stream/stream.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "common/perf/perf_layout.h"
#include "common/stream/checksum.h"
#include "tests/support/records.h"

#define BLOCK 65536u

static const uint8_t uuid[16] = {0xca, 0xfe, 1, 2, 3};

/* A stream as a file would hold it. */
struct laid {
	struct ts_stream s;
	uint8_t *file;
	size_t len, cap;
	alignas(4096) uint8_t block[BLOCK];
};

static struct laid *laid_new(size_t cap, size_t align)
{
	struct laid *l = aligned_alloc(4096, (sizeof(*l) + 4095) & ~4095UL);

	l->cap = cap;
	l->len = 0;
	l->file = aligned_alloc(4096, cap);
	ts_stream_init(&l->s, uuid, 5, align);
	return l;
}

static void laid_free(struct laid *l)
{
	free(l->file);
	free(l);
}

static void write_block(struct laid *l, size_t bytes)
{
	cr_assert_eq(l->s.block_offset, l->len);
	cr_assert_leq(l->len + bytes, l->cap);
	memcpy(l->file + l->len, l->block, bytes);
	l->len += bytes;
}

/* A chunk of nr samples in the open block. */
static void put_chunk(struct laid *l, size_t nr)
{
	struct ts_chunk c = {.ring = 1, .cpu = 3, .nr_records = nr, .time_min_ns = 1};
	uint8_t *payload = ts_stream_payload(&l->s);

	for (size_t i = 0; i < nr; i++)
		c.payload_bytes += put_sample(payload + c.payload_bytes, 1001, 100 + i, 3);
	c.raw_bytes = c.payload_bytes;
	ts_stream_end_chunk(&l->s, &c);
}

static void put_block(struct laid *l, size_t nr_chunks)
{
	ts_stream_begin_block(&l->s, l->block, BLOCK);
	for (size_t i = 0; i < nr_chunks; i++)
		put_chunk(l, 1 + i % 3);
	write_block(l, ts_stream_end_block(&l->s));
}

static void finish(struct laid *l)
{
	ts_stream_begin_block(&l->s, l->block, BLOCK);
	write_block(l, ts_stream_finish(&l->s));
}

/* Walks all records as strictly as perf and checks each payload; returns the number of chunks. */
static uint64_t count_chunks(const struct laid *l)
{
	uint64_t nr = 0;
	size_t at = 0;

	while (at < l->len) {
		const struct perf_event_header *hdr = (const void *)(l->file + at);
		struct ts_chunk c;

		cr_assert_geq(l->len - at, 8);
		cr_assert_geq(hdr->size, 8);
		cr_assert_leq(hdr->size, l->len - at);
		if (ts_own_record(hdr) != TS_OWN_CHUNK) {
			at += hdr->size;
			continue;
		}
		cr_assert_eq(ts_chunk_parse(hdr, l->len - at, at, &c), TS_FOUND_OK);
		cr_assert_eq(c.seq, nr++);
		cr_assert_eq(c.cut, 5);
		cr_assert_arr_eq(c.uuid, uuid, 16);
		at += c.header_bytes;
		cr_assert_eq(c.checksum, ts_checksum(l->file + at, c.payload_bytes));
		at += c.payload_bytes;
	}
	return nr;
}

/* Follows the index from the end of the file; returns the number of chunks in it. */
static uint64_t count_indexed(const struct laid *l)
{
	uint64_t nr = 0, next_seq = UINT64_MAX;
	struct ts_index ix;
	enum ts_found found = ts_index_last(l->file, l->len, l->len, &ix);

	while (found == TS_FOUND_OK) {
		cr_assert(next_seq == UINT64_MAX || ix.first_seq + ix.nr == next_seq);
		next_seq = ix.first_seq;
		for (uint32_t i = 0; i < ix.nr; i++) {
			struct ts_chunk c, real;

			cr_assert(ts_index_chunk(&ix, i, &c));
			cr_assert_eq(ts_chunk_parse(l->file + c.offset, l->len - c.offset, c.offset,
						    &real),
				     TS_FOUND_OK);
			cr_assert_eq(c.seq, real.seq);
			cr_assert_eq(c.payload_bytes, real.payload_bytes);
			cr_assert_eq(c.nr_records, real.nr_records);
			cr_assert_eq(c.cpu, real.cpu);
			cr_assert_eq(c.header_bytes, real.header_bytes);
		}
		nr += ix.nr;
		if (ix.prev_offset == TS_NO_OFFSET)
			break;
		found = ts_index_parse(l->file + ix.prev_offset, l->len - ix.prev_offset,
				       ix.prev_offset, &ix);
		cr_assert_eq(found, TS_FOUND_OK);
	}
	return nr;
}

Test(stream, lays_chunks_that_a_strict_walker_reads)
{
	struct laid *l = laid_new(8 << 20, 4096);

	for (size_t i = 1; i < 60; i++)
		put_block(l, i);
	finish(l);
	cr_assert_eq(count_chunks(l), 59 * 60 / 2);
	laid_free(l);
}

Test(stream, names_every_chunk_in_its_index)
{
	struct laid *l = laid_new(16 << 20, 4096);

	for (size_t i = 0; i < 30; i++)
		put_block(l, 100);
	finish(l);
	cr_assert_eq(count_indexed(l), 3000);
	laid_free(l);
}

Test(stream, is_indexed_up_to_the_last_index_when_killed)
{
	struct laid *l = laid_new(16 << 20, 4096);

	for (size_t i = 0; i < 30; i++)
		put_block(l, 100);
	cr_assert_eq(count_indexed(l), 3000 / TS_INDEX_ENTRIES * TS_INDEX_ENTRIES);
	laid_free(l);
}

Test(stream, ends_with_a_footer_that_sums_it_up)
{
	struct laid *l = laid_new(1 << 20, 4096);
	struct ts_footer f;
	uint64_t at;

	put_block(l, 3);
	finish(l);
	at = l->len - TS_FOOTER_BYTES;
	cr_assert_eq(ts_footer_parse(l->file + at, TS_FOOTER_BYTES, at, &f), TS_FOUND_OK);
	cr_assert_eq(f.nr_chunks, 3);
	cr_assert_eq(f.nr_records, 1 + 2 + 3);
	cr_assert_eq(f.raw_bytes, 6 * SAMPLE_BYTES);
	cr_assert_eq(f.index_offset, 4096);
	laid_free(l);
}

Test(stream, without_chunks_has_only_padding_and_a_footer)
{
	struct laid *l = laid_new(1 << 20, 4096);
	struct ts_footer f;

	finish(l);
	cr_assert_eq(l->len, 4096);
	cr_assert_eq(count_chunks(l), 0);
	cr_assert_eq(ts_footer_parse(l->file + 4000, TS_FOOTER_BYTES, 4000, &f), TS_FOUND_OK);
	cr_assert_eq(f.index_offset, TS_NO_OFFSET);
	laid_free(l);
}

Test(stream, writes_nothing_for_a_block_without_chunks)
{
	struct laid *l = laid_new(1 << 20, 4096);

	put_block(l, 1);
	ts_stream_begin_block(&l->s, l->block, BLOCK);
	cr_assert(l->s.used == 0);
	cr_assert_eq(ts_stream_end_block(&l->s), 0);
	put_block(l, 1);
	cr_assert_eq(l->len, 8192);
	laid_free(l);
}

/* One chunk that leaves `spare` bytes of its room free. */
static void put_chunk_but(struct laid *l, size_t spare)
{
	struct ts_chunk c = {.payload_bytes = ts_stream_room(&l->s) - spare, .nr_records = 1};

	c.raw_bytes = c.payload_bytes;
	memset(ts_stream_payload(&l->s), 0, c.payload_bytes);
	for (size_t at = 0; at < c.payload_bytes; at += TS_RECORD_MAX_BYTES / 2) {
		const size_t left = c.payload_bytes - at;
		struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE};

		hdr.size =
			(uint16_t)(left < TS_RECORD_MAX_BYTES / 2 ? left : TS_RECORD_MAX_BYTES / 2);
		memcpy((uint8_t *)ts_stream_payload(&l->s) + at, &hdr, sizeof(hdr));
	}
	ts_stream_end_chunk(&l->s, &c);
}

Test(stream, pads_whatever_gap_a_block_ends_with)
{
	struct laid *l = laid_new(600 * BLOCK, 4096);
	uint64_t nr = 0;

	for (size_t spare = 0; spare < 4400; spare += 8, nr++) {
		size_t bytes;

		ts_stream_begin_block(&l->s, l->block, BLOCK);
		put_chunk_but(l, spare);
		bytes = ts_stream_end_block(&l->s);
		cr_assert_eq(bytes % 4096, 0);
		cr_assert_leq(bytes, BLOCK);
		write_block(l, bytes);
	}
	cr_assert_eq(nr, 4400 / 8);
	cr_assert_eq(count_chunks(l), nr);
	laid_free(l);
}

Test(stream, keeps_room_for_the_index_that_follows_a_chunk)
{
	struct laid *l = laid_new(4 << 20, 4096);

	for (size_t i = 0; i < TS_INDEX_ENTRIES - 1; i += 51)
		put_block(l, 51);
	cr_assert_eq(l->s.nr_pending, TS_INDEX_ENTRIES - 1);
	ts_stream_begin_block(&l->s, l->block, BLOCK);
	put_chunk_but(l, 0);
	cr_assert_eq(l->s.nr_pending, 0);
	write_block(l, ts_stream_end_block(&l->s));
	cr_assert_eq(count_indexed(l), TS_INDEX_ENTRIES);
	cr_assert_eq(count_chunks(l), TS_INDEX_ENTRIES);
	laid_free(l);
}

Test(stream, has_no_room_in_a_full_block)
{
	struct laid *l = laid_new(1 << 20, 4096);

	ts_stream_begin_block(&l->s, l->block, BLOCK);
	put_chunk_but(l, TS_CHUNK_HEADER_BYTES);
	cr_assert_eq(ts_stream_room(&l->s), 0);
	cr_assert_eq(ts_stream_end_block(&l->s), BLOCK);
	laid_free(l);
}

Test(stream, keeps_to_a_larger_alignment)
{
	struct laid *l = laid_new(4 << 20, 32768);

	for (size_t i = 0; i < 10; i++)
		put_block(l, 30);
	finish(l);
	cr_assert_eq(l->len % 32768, 0);
	cr_assert_eq(count_chunks(l), 300);
	cr_assert_eq(count_indexed(l), 300);
	laid_free(l);
}

Test(stream, finishes_in_the_least_block_whatever_is_pending)
{
	for (size_t pending = 0; pending < TS_INDEX_ENTRIES; pending++) {
		struct laid *l = laid_new(2 << 20, 4096);

		for (size_t i = 0; i < pending; i++)
			put_block(l, 1);
		ts_stream_begin_block(&l->s, l->block, TS_STREAM_FINISH_MAX);
		write_block(l, ts_stream_finish(&l->s));
		cr_assert_eq(count_chunks(l), pending);
		cr_assert_eq(count_indexed(l), pending);
		laid_free(l);
	}
}

Test(stream, tells_where_to_cut_after_a_short_write)
{
	uint8_t block[4 * SAMPLE_BYTES];

	for (size_t i = 0; i < 4; i++)
		put_sample(block + i * SAMPLE_BYTES, 1, i, 0);
	for (size_t limit = 0; limit <= sizeof(block); limit++)
		cr_assert_eq(ts_stream_whole_records(block, sizeof(block), limit),
			     limit / SAMPLE_BYTES * SAMPLE_BYTES);
}

Test(stream, index_survives_no_flipped_bit)
{
	struct laid *l = laid_new(1 << 20, 4096);
	struct ts_index ix;
	uint64_t at;

	put_block(l, 2);
	finish(l);
	at = 4096;
	cr_assert_eq(ts_index_parse(l->file + at, l->len - at, at, &ix), TS_FOUND_OK);
	for (size_t bit = 0; bit < 8 * ix.record_bytes; bit++) {
		l->file[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
		cr_assert_neq(ts_index_parse(l->file + at, l->len - at, at, &ix), TS_FOUND_OK);
		l->file[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	laid_free(l);
}

Test(stream, index_entry_must_lie_before_its_index)
{
	struct ts_chunk c = {.offset = 4096, .payload_bytes = 64, .raw_bytes = 64};
	uint8_t entry[TS_INDEX_ENTRY_BYTES];
	struct ts_index ix = {.nr = 1, .entry_bytes = sizeof(entry), .entries = entry};

	ts_index_pack_entry(&c, entry);
	ix.offset = 4096 + TS_CHUNK_HEADER_BYTES + 64;
	cr_assert(ts_index_chunk(&ix, 0, &c));
	ix.offset -= 8;
	cr_assert_not(ts_index_chunk(&ix, 0, &c));
	c.payload_bytes = UINT64_MAX - 7;
	ts_index_pack_entry(&c, entry);
	cr_assert_not(ts_index_chunk(&ix, 0, &c));
}

Test(stream, index_is_not_found_in_other_files)
{
	uint8_t file[8192];
	struct ts_index ix;

	memset(file, 0x41, sizeof(file));
	for (uint64_t len = 0; len <= sizeof(file); len += 7)
		cr_assert_eq(ts_index_last(file, len, 1 << 20, &ix), TS_FOUND_NOTHING);
}
