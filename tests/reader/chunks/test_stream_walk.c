// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/stream_walk.h"

#include <string.h>

#include "common/stream/chunk.h"
#include "common/stream/stream_index.h"
#include "reader/chunks/chunk_load.h"
#include "tests/support/chunk_scene.h"

TestSuite(stream_walk, .init = set_up_chunks, .fini = tear_down_chunks);

Test(stream_walk, hops_over_the_headers_of_our_streams)
{
	uint64_t first = made_chunk(&m, 1, 10, 100, 0), second = made_chunk(&m, 1, 20, 200, 1);

	open_table(2, 0);
	cr_assert_eq(t.nr, 2);
	cr_assert_eq(t.damage.nr, 0);
	cr_assert_eq(t.chunks[0].offset, first);
	cr_assert_eq(t.chunks[1].offset, second);
	cr_assert_eq(t.chunks[1].nr_records, 20);
	cr_assert_eq(t.chunks[1].time_max_ns, 219);
	cr_assert(t.chunks[0].flags & CHUNK_SAMPLES);
}

Test(stream_walk, counts_the_bytes_of_a_search_for_an_index_once)
{
	struct stream_walk walk;

	made_chunk(&m, 1, 10, 100, 0);
	made_chunk(&m, 1, 20, 200, 1);
	open_table(1, 0);
	stream_walk_init(&walk, &m.capture, 1, true, NULL);
	cr_assert(!walk.is_indexed);
	cr_assert_eq(walk.nr_read, TS_FOOTER_BYTES + 2 * TS_CHUNK_HEADER_BYTES);
	stream_walk_release(&walk);
}

Test(stream_walk, counts_headers_of_chunks_as_perf_does)
{
	made_chunk(&m, 1, 10, 100, 0);
	made_chunk(&m, 1, 20, 200, 1);
	open_table(2, CHUNK_TABLE_COUNTS);
	cr_assert_eq(t.counts.by_type[TS_RECORD_EVENT_TYPE], 2);
	cr_assert_eq(t.counts.by_type[PERF_RECORD_SAMPLE], 30);
}

/* Appends an index record over chunks whose headers stand at these offsets. */
static void add_index(size_t stream, const uint64_t *headers, uint32_t nr, uint64_t prev_offset,
		      uint64_t first_seq)
{
	struct ts_bytes *b = &m.bytes[stream];
	uint8_t entries[4][TS_INDEX_ENTRY_BYTES], *at;
	struct ts_index ix = {.nr = nr,
			      .offset = b->len,
			      .prev_offset = prev_offset,
			      .first_seq = first_seq,
			      .entries = entries[0]};

	for (uint32_t i = 0; i < nr; i++) {
		struct ts_chunk c;

		cr_assert_eq(
			ts_chunk_parse(b->data + headers[i], b->len - headers[i], headers[i], &c),
			TS_FOUND_OK);
		ts_index_pack_entry(&c, entries[i]);
	}
	at = ts_bytes_reserve(b, TS_INDEX_MAX_BYTES);
	b->len += ts_index_pack(&ix, at);
}

/* Two index records, of two chunks and of one, and a chunk behind them. */
static void add_indexed_stream(uint64_t headers[4])
{
	uint64_t first_index;

	for (size_t i = 0; i < 2; i++)
		headers[i] = made_chunk(&m, 1, 10, 100 + 100 * i, i) - TS_CHUNK_HEADER_BYTES;
	first_index = m.bytes[1].len;
	add_index(1, headers, 2, TS_NO_OFFSET, 0);
	headers[2] = made_chunk(&m, 1, 10, 300, 2) - TS_CHUNK_HEADER_BYTES;
	add_index(1, headers + 2, 1, first_index, 2);
	headers[3] = made_chunk(&m, 1, 10, 400, 3) - TS_CHUNK_HEADER_BYTES;
}

Test(stream_walk, takes_chunks_from_the_index_and_hops_on_behind_it)
{
	uint64_t headers[4];

	add_indexed_stream(headers);
	open_table(1, 0);
	cr_assert_eq(t.nr, 4);
	cr_assert_eq(t.damage.nr, 0);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(t.chunks[i].offset, headers[i] + TS_CHUNK_HEADER_BYTES);
		cr_assert_eq(!!(t.chunks[i].flags & CHUNK_INDEXED), i < 3);
		cr_assert_eq(t.chunks[i].time_min_ns, 100 + 100 * i);
	}
}

Test(stream_walk, takes_a_chunk_whose_header_is_damaged_from_the_index_while_it_counts)
{
	uint64_t headers[4];

	add_indexed_stream(headers);
	m.bytes[1].data[headers[1] + 24] ^= 1;
	m.bytes[1].data[headers[2]] ^= 1;
	open_table(1, CHUNK_TABLE_COUNTS);
	cr_assert_eq(t.nr, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(t.chunks[i].offset, headers[i] + TS_CHUNK_HEADER_BYTES);
		cr_assert_eq(!!(t.chunks[i].flags & CHUNK_INDEXED), i == 1 || i == 2);
	}
	cr_assert_eq(t.damage.nr, 2);
	cr_assert_eq(t.damage.items[0].nr_doubtful, t.chunks[1].nr_records);
}

Test(stream_walk, verifies_the_header_of_an_indexed_chunk_when_it_is_loaded)
{
	struct chunk_buffer buf = {0};
	const uint8_t *records;
	uint64_t headers[4];
	size_t len;

	add_indexed_stream(headers);
	m.bytes[1].data[headers[1] + 24] ^= 1;
	open_table(1, 0);
	cr_assert_eq(t.nr, 4);
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(chunk_load(&t, &t.chunks[i], &buf, &records, &len, &err),
			     i == 1 ? CHUNK_SALVAGED : CHUNK_SOUND);
	chunk_buffer_release(&buf);
}

Test(stream_walk, hops_over_all_headers_when_an_index_record_is_damaged)
{
	uint64_t headers[4];

	add_indexed_stream(headers);
	m.bytes[1].data[headers[1] + TS_CHUNK_HEADER_BYTES + 640 + 90] ^= 1;
	open_table(1, 0);
	cr_assert_eq(t.nr, 4);
	for (size_t i = 0; i < 4; i++)
		cr_assert(!(t.chunks[i].flags & CHUNK_INDEXED));
}

/* Opens the table over an index that names the chunks at these offsets, of three that are there. */
static void open_with_entries(const uint64_t *first, const uint64_t *second)
{
	uint64_t first_index;

	made_chunk(&m, 1, 10, 100, 0);
	made_chunk(&m, 1, 10, 200, 1);
	first_index = m.bytes[1].len;
	add_index(1, first, 2, TS_NO_OFFSET, 0);
	made_chunk(&m, 1, 10, 300, 2);
	add_index(1, second, 1, first_index, 2);
	open_table(1, 0);
	cr_assert_eq(t.nr, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(t.chunks[i].time_min_ns, 100 + 100 * i);
		cr_assert(!(t.chunks[i].flags & CHUNK_INDEXED));
	}
}

Test(stream_walk, hops_over_all_headers_when_an_index_names_a_chunk_again)
{
	const uint64_t again[2] = {0};

	open_with_entries(again, again);
}

Test(stream_walk, hops_over_all_headers_when_an_index_names_a_chunk_of_the_one_before)
{
	const uint64_t chunk_bytes =
		made_chunk(&m, 1, 10, 100, 0) - TS_CHUNK_HEADER_BYTES + m.bytes[1].len;
	const uint64_t both[2] = {0, chunk_bytes};

	m.bytes[1].len = 0;
	open_with_entries(both, both + 1);
}

/* A killed stream of five chunks, whose last index record names two of the three before it. */
static void expect_all_of_five(unsigned int left_out)
{
	uint64_t headers[5], named[2], first_index = 0;

	for (size_t i = 0; i < 5; i++) {
		headers[i] = made_chunk(&m, 1, 10, 100 + 100 * i, i) - TS_CHUNK_HEADER_BYTES;
		if (i == 1) {
			first_index = m.bytes[1].len;
			add_index(1, headers, 2, TS_NO_OFFSET, 0);
		}
	}
	for (size_t i = 2, nr = 0; i < 5; i++)
		if (i != left_out)
			named[nr++] = headers[i];
	add_index(1, named, 2, first_index, 2);
	open_table(1, 0);
	cr_assert_eq(t.nr, 5);
	cr_assert_eq(t.damage.nr, 0);
}

Test(stream_walk, finds_a_first_chunk_that_the_last_index_of_a_killed_stream_leaves_out)
{
	expect_all_of_five(2);
}

Test(stream_walk, finds_a_chunk_that_the_last_index_of_a_killed_stream_leaves_out)
{
	expect_all_of_five(3);
}

Test(stream_walk, finds_a_last_chunk_that_the_last_index_of_a_killed_stream_leaves_out)
{
	expect_all_of_five(4);
}

Test(stream_walk, resumes_at_the_next_chunk_header_behind_damage)
{
	uint64_t second;

	made_chunk(&m, 1, 10, 100, 0);
	second = made_chunk(&m, 1, 20, 200, 1) - TS_CHUNK_HEADER_BYTES;
	made_chunk(&m, 1, 30, 300, 2);
	memset(m.bytes[1].data + second, 0xff, 40);
	open_table(1, 0);
	cr_assert_eq(t.nr, 2);
	cr_assert_eq(t.damage.nr, 1);
	cr_assert_eq(t.damage.items[0].offset, second);
	cr_assert_eq(t.damage.items[0].bytes, TS_CHUNK_HEADER_BYTES + 20 * 64);
	cr_assert_eq(t.chunks[1].nr_records, 30);
}
