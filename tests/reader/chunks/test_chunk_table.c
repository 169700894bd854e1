// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/chunk_table.h"

#include <string.h>
#include <zstd.h>

#include "reader/chunks/chunk_load.h"
#include "reader/chunks/parallel_scan.h"
#include "tests/support/chunk_scene.h"

#define MANY 40000

TestSuite(chunk_table, .init = set_up_chunks, .fini = tear_down_chunks);

Test(chunk_table, cuts_a_stream_between_records)
{
	struct chunk_buffer buf = {0};

	add_samples(0, MANY, 1000);
	open_table(3, 0);
	cr_assert_gt(t.nr, 3);
	for (size_t i = 0; i < t.nr; i++) {
		const uint8_t *records;
		size_t len, whole = 0;

		cr_assert_eq(chunk_load(&t, &t.chunks[i], &buf, &records, &len, &err), 0);
		for (struct chunk_walk w = {records, records + len}; chunk_walk_next(&w);)
			whole = (size_t)(w.at - records);
		cr_assert_eq(whole, len);
		cr_assert_eq(t.chunks[i].offset,
			     i ? t.chunks[i - 1].offset + t.chunks[i - 1].bytes : 0);
	}
	cr_assert_eq(records_of_all(), MANY);
	chunk_buffer_release(&buf);
}

Test(chunk_table, knows_the_times_of_each_chunk)
{
	add_samples(0, MANY, 1000);
	open_table(2, 0);
	cr_assert_eq(t.chunks[0].time_min_ns, 1000);
	cr_assert_eq(t.chunks[t.nr - 1].time_max_ns, 1000 + MANY - 1);
	for (size_t i = 1; i < t.nr; i++)
		cr_assert_eq(t.chunks[i].time_min_ns, t.chunks[i - 1].time_max_ns + 1);
}

Test(chunk_table, counts_records_by_type_and_event)
{
	made_comm(&m, 0, 5, 5, "five", 0);
	add_samples(0, 10, 1);
	add_samples(1, 20, 1);
	open_table(2, CHUNK_TABLE_COUNTS);
	cr_assert_eq(t.counts.total, 31);
	cr_assert_eq(t.counts.by_type[PERF_RECORD_SAMPLE], 30);
	cr_assert_eq(t.counts.by_type[PERF_RECORD_COMM], 1);
	cr_assert_eq(t.counts.event_samples[0], 30);
}

Test(chunk_table, marks_what_has_no_time_and_what_tells_of_tasks)
{
	made_comm(&m, 0, 5, 5, "five", 0);
	add_samples(1, 1, 7);
	open_table(1, 0);
	cr_assert_eq(t.nr, 2);
	cr_assert_eq(t.chunks[0].flags, CHUNK_SIDEBAND | CHUNK_TASKS | CHUNK_UNTIMED);
	cr_assert_eq(t.chunks[1].flags, CHUNK_SAMPLES);
}

Test(chunk_table, finds_the_records_behind_an_impossible_size)
{
	struct perf_event_header bad = {.type = PERF_RECORD_SAMPLE, .size = 4};

	add_samples(0, 3, 1);
	ts_bytes_put(&m.bytes[0], &bad, sizeof(bad));
	add_samples(0, 3, 4);
	add_samples(1, 5, 1);
	open_table(2, 0);
	cr_assert_eq(t.damage.nr, 1);
	cr_assert_eq(t.damage.items[0].stream, 0);
	cr_assert_eq(t.damage.items[0].offset, 3 * 64);
	cr_assert_eq(t.damage.items[0].bytes, 8);
	cr_assert_eq(records_of_all(), 3 + 3 + 5);
}

Test(chunk_table, takes_the_incomplete_end_of_a_killed_recording_for_no_damage)
{
	add_samples(0, 3, 1);
	m.bytes[0].len -= 8;
	m.capture.header.data_unfinished = true;
	open_table(1, 0);
	cr_assert_eq(t.damage.nr, 0);
	cr_assert_eq(records_of_all(), 2);
}

/* The number of damaged places of what a killed recorder left. */
static size_t nr_damaged_if_killed(void)
{
	m.capture.header.data_unfinished = true;
	open_table(1, 0);
	return t.damage.nr;
}

Test(chunk_table, takes_zeros_at_the_end_of_a_killed_recording_for_no_damage)
{
	add_samples(0, 3, 1);
	ts_bytes_zero(&m.bytes[0], 5000);
	cr_assert_eq(nr_damaged_if_killed(), 0);
	cr_assert_eq(records_of_all(), 3);
}

Test(chunk_table, takes_bytes_that_are_no_record_for_damage_in_a_killed_recording)
{
	add_samples(0, 3, 1);
	for (size_t i = 0; i < 1000; i++)
		ts_bytes_u64(&m.bytes[0], UINT64_MAX);
	cr_assert_eq(nr_damaged_if_killed(), 1);
	cr_assert_eq(t.damage.items[0].offset, 3 * 64);
	cr_assert_eq(t.damage.items[0].bytes, 8000);
}

Test(chunk_table, takes_missing_aux_bytes_of_a_killed_recording_for_no_damage)
{
	struct perf_event_header aux = {.type = TS_RECORD_AUXTRACE, .size = 48};

	add_samples(0, 3, 1);
	ts_bytes_put(&m.bytes[0], &aux, sizeof(aux));
	ts_bytes_u64(&m.bytes[0], 1 << 20);
	ts_bytes_zero(&m.bytes[0], 100000);
	cr_assert_eq(nr_damaged_if_killed(), 0);
}

Test(chunk_table, takes_the_same_end_of_a_closed_recording_for_damage)
{
	add_samples(0, 3, 1);
	m.bytes[0].len -= 8;
	open_table(1, 0);
	cr_assert_eq(t.damage.nr, 1);
	cr_assert_eq(t.damage.items[0].offset, 2 * 64);
}

Test(chunk_table, passes_over_the_bytes_behind_an_auxtrace_record)
{
	struct perf_event_header aux = {.type = TS_RECORD_AUXTRACE, .size = 48};

	ts_bytes_put(&m.bytes[0], &aux, sizeof(aux));
	ts_bytes_u64(&m.bytes[0], 100);
	ts_bytes_zero(&m.bytes[0], 32 + 100);
	add_samples(0, 2, 1);
	open_table(1, CHUNK_TABLE_COUNTS);
	cr_assert_eq(t.damage.nr, 0);
	cr_assert_eq(t.counts.by_type[PERF_RECORD_SAMPLE], 2);
	cr_assert_eq(t.counts.total, 3);
}

Test(chunk_table, survives_auxtrace_bytes_beyond_the_end)
{
	struct perf_event_header aux = {.type = TS_RECORD_AUXTRACE, .size = 48};

	ts_bytes_put(&m.bytes[0], &aux, sizeof(aux));
	ts_bytes_u64(&m.bytes[0], UINT64_MAX - 40);
	ts_bytes_zero(&m.bytes[0], 32);
	open_table(1, 0);
	cr_assert_eq(t.damage.nr, 1);
}

/* --- large streams in pieces --- */

struct facts { /* of a table, without where its ranges end */
	uint64_t nr_records, nr_damaged, total, samples, first_ns, last_ns, bytes;
};

static struct facts facts_of_table(unsigned int nr_workers, uint64_t piece_bytes)
{
	struct facts f = {0};

	cr_assert_eq(chunk_table_open_in_pieces(&t, &m.capture, nr_workers, CHUNK_TABLE_COUNTS,
						NULL, piece_bytes, &err),
		     0, "%s", err.text);
	f = (struct facts){records_of_all(),
			   t.damage.nr,
			   t.counts.total,
			   t.counts.event_samples[0],
			   t.first_ns,
			   t.last_ns,
			   0};
	for (size_t i = 0; i < t.nr; i++)
		f.bytes += t.chunks[i].bytes;
	chunk_table_close(&t);
	return f;
}

/* The table is the same with any size of pieces, any number of workers, and without pieces. */
static void expect_the_same_in_pieces(void)
{
	struct facts whole, pieces;

	made_capture_finish(&m);
	whole = facts_of_table(1, UINT64_MAX / 4);
	for (uint64_t bytes = 40 * 1024; bytes < m.bytes[0].len; bytes *= 3)
		for (unsigned int nr_workers = 1; nr_workers < 4; nr_workers++) {
			pieces = facts_of_table(nr_workers, bytes);
			cr_assert_eq(memcmp(&pieces, &whole, sizeof(whole)), 0,
				     "%u workers, pieces of %lu bytes", nr_workers,
				     (unsigned long)bytes);
		}
}

Test(chunk_table, finds_in_pieces_what_it_finds_in_a_whole_stream)
{
	add_samples(0, MANY, 1000);
	made_comm(&m, 0, 5, 5, "five", 2000);
	add_samples(0, MANY / 2, 1000 + MANY);
	add_samples(1, MANY / 3, 500);
	expect_the_same_in_pieces();
	cr_assert_eq(facts_of_table(2, 100000).nr_records, MANY + 1 + MANY / 2 + MANY / 3);
}

Test(chunk_table, takes_records_inside_a_record_for_no_beginning_of_a_piece)
{
	static uint64_t inside[64 * 1024 / 8 - 16];
	size_t words = sizeof(inside) / sizeof(*inside);

	add_samples(1, sizeof(inside) / 64 + 1, 7);
	memcpy(inside, m.bytes[1].data, sizeof(inside));
	for (size_t i = 0; i < 20; i++)
		made_sample(&m, 0,
			    &(struct made_sample){
				    .time_ns = 100 + i, .chain = inside, .nr_chain = words});
	add_samples(0, MANY, 1000);
	expect_the_same_in_pieces();
	cr_assert_eq(facts_of_table(2, 40 * 1024).samples, 20 + MANY + sizeof(inside) / 64 + 1);
}

Test(chunk_table, finds_the_same_damage_in_pieces)
{
	struct perf_event_header bad = {.type = PERF_RECORD_SAMPLE, .size = 4};

	for (size_t i = 0; i < 30; i++) {
		add_samples(0, 1000 + i, 1 + 2000 * i);
		ts_bytes_put(&m.bytes[0], &bad, sizeof(bad));
		if (i % 10 == 9) /* longer than the scan looks for a beginning */
			ts_bytes_zero(&m.bytes[0], 300 * 1024);
	}
	add_samples(0, 5, 100000);
	expect_the_same_in_pieces();
	cr_assert_gt(facts_of_table(2, 40 * 1024).nr_damaged, 29);
}

Test(chunk_table, finds_the_end_of_a_killed_recording_in_pieces)
{
	add_samples(0, MANY, 1);
	m.bytes[0].len -= 8;
	m.capture.header.data_unfinished = true;
	expect_the_same_in_pieces();
	cr_assert_eq(facts_of_table(2, 100000).nr_damaged, 0);
}

Test(chunk_table, cuts_pieces_behind_a_record_of_an_odd_size)
{
	const struct perf_event_header odd = {.type = TS_RECORD_BUILD_ID, .size = 45};
	const struct chunk_counts model = {.nr_events = 1};
	struct parallel_scan pieces = {0};

	add_samples(0, 10, 1);
	ts_bytes_put(&m.bytes[0], &odd, sizeof(odd));
	ts_bytes_zero(&m.bytes[0], odd.size - sizeof(odd));
	add_samples(0, MANY, 1000);
	expect_the_same_in_pieces();
	t.capture = &m.capture;
	cr_assert_eq(parallel_scan_plan(&pieces, &t, 256 * 1024, &model), 0);
	cr_assert_gt(pieces.nr, 5);
	parallel_scan_release(&pieces);
	t = (struct chunk_table){0};
}

/* --- compressed streams of perf's --- */

/* Appends a type-81 record whose frame holds len bytes. */
static void add_compressed(size_t stream, const void *raw, size_t len)
{
	char frame[60000];
	size_t bytes = ZSTD_compress(frame, sizeof(frame), raw, len, 1);
	struct perf_event_header hdr = {.type = TS_RECORD_COMPRESSED,
					.size = (uint16_t)(sizeof(hdr) + bytes)};

	cr_assert(!ZSTD_isError(bytes));
	ts_bytes_put(&m.bytes[stream], &hdr, sizeof(hdr));
	ts_bytes_put(&m.bytes[stream], frame, bytes);
}

Test(chunk_table, inflates_records_that_straddle_the_compressed_ones)
{
	struct ts_bytes raw;

	add_samples(1, 1000, 1);
	raw = m.bytes[1];
	m.bytes[1] = (struct ts_bytes){0};
	for (size_t at = 0; at < raw.len; at += 1000)
		add_compressed(1, raw.data + at, raw.len - at < 1000 ? raw.len - at : 1000);
	open_table(2, CHUNK_TABLE_COUNTS);
	cr_assert_eq(t.damage.nr, 0);
	cr_assert_eq(t.counts.by_type[PERF_RECORD_SAMPLE], 1000);
	cr_assert_eq(t.counts.by_type[TS_RECORD_COMPRESSED], 64);
	ts_bytes_release(&raw);
}

/* Eight compressed records that a killed recorder left; returns where the fourth begins. */
static size_t add_compressed_records(void)
{
	size_t at = 0;

	add_samples(1, 100, 1);
	for (size_t i = 0; i < 8; i++) {
		if (i == 3)
			at = m.bytes[0].len;
		add_compressed(0, m.bytes[1].data, m.bytes[1].len);
	}
	m.bytes[1].len = 0;
	return at;
}

Test(chunk_table, takes_a_torn_compressed_record_of_a_killed_recording_for_no_damage)
{
	add_compressed_records();
	m.bytes[0].len -= 20;
	cr_assert_eq(nr_damaged_if_killed(), 0);
	cr_assert_eq(records_of_all(), 700);
}

Test(chunk_table, names_a_compressed_record_of_a_wrong_type_of_a_killed_recording)
{
	size_t at = add_compressed_records();

	m.bytes[0].data[at + 2] = 4;
	cr_assert_eq(nr_damaged_if_killed(), 1);
	cr_assert_eq(t.damage.items[0].offset, at);
	cr_assert_eq(records_of_all(), 300);
}

Test(chunk_table, names_a_compressed_record_of_a_wrong_size_of_a_killed_recording)
{
	size_t at = add_compressed_records();

	m.bytes[0].data[at + 7] |= 0x80; /* beyond the end */
	cr_assert_eq(nr_damaged_if_killed(), 1);
	cr_assert_eq(t.damage.items[0].offset, at);
}

Test(chunk_table, cuts_no_piece_behind_compressed_records)
{
	struct ts_bytes raw = {0};

	add_samples(1, 3000, 1);
	ts_bytes_put(&raw, m.bytes[1].data, 40 * 1024);
	for (size_t i = 0; i < 8; i++) {
		add_samples(0, 2000, 100 + 2000 * i);
		add_compressed(0, raw.data, raw.len);
	}
	expect_the_same_in_pieces();
	ts_bytes_release(&raw);
}

Test(chunk_table, gives_up_on_compressed_bytes_that_are_no_records)
{
	static const uint8_t zeros[100000];

	add_samples(1, 3, 1);
	for (int i = 0; i < 10; i++)
		add_compressed(1, zeros, sizeof(zeros));
	open_table(1, CHUNK_TABLE_COUNTS);
	cr_assert_eq(t.damage.nr, 1);
	cr_assert_eq(t.damage.items[0].offset, 3 * 64);
	cr_assert_eq(t.counts.by_type[PERF_RECORD_SAMPLE], 3);
}
