// SPDX-License-Identifier: Apache-2.0
#include "reader/order/ordered.h"

#include <criterion/criterion.h>

#include "tests/support/made_capture.h"
#include "tests/support/records.h"

static struct made_capture m;
static struct chunk_table t;

static void init(void)
{
	made_capture_init(&m, 3);
}

static void fini(void)
{
	chunk_table_close(&t);
	made_capture_release(&m);
}

TestSuite(ordered, .init = init, .fini = fini);

static void sample_at(size_t stream, uint64_t time_ns, uint64_t ip)
{
	made_sample(&m, stream, &(struct made_sample){.time_ns = time_ns, .ip = ip, .period = 1});
}

static struct ordered *open_all(uint64_t types, uint64_t from_ns, uint64_t to_ns)
{
	const struct ordered_window window = {.types = types, .from_ns = from_ns, .to_ns = to_ns};
	struct ts_error err;
	struct ordered *o;

	made_capture_finish(&m);
	if (!t.capture)
		cr_assert_eq(chunk_table_open(&t, &m.capture, 2, 0, NULL, &err), 0);
	o = ordered_open(&t, &window);
	cr_assert_not_null(o);
	return o;
}

/* The ip of the next sample; 0 at the end. */
static uint64_t next_ip(struct ordered *o)
{
	struct ordered_record r;

	if (ordered_next(o, &r) != 1)
		return 0;
	return ts_record_load_u64((const uint8_t *)r.hdr + 16);
}

Test(ordered, merges_streams_by_time)
{
	struct ordered *o;

	sample_at(0, 10, 1);
	sample_at(1, 20, 2);
	sample_at(0, 30, 3);
	sample_at(2, 40, 4);
	sample_at(1, 50, 5);
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	for (uint64_t ip = 1; ip <= 5; ip++)
		cr_assert_eq(next_ip(o), ip);
	cr_assert_eq(next_ip(o), 0);
	ordered_close(o);
}

Test(ordered, sorts_records_that_step_back)
{
	struct ordered *o;

	sample_at(0, 30, 3);
	sample_at(0, 10, 1);
	sample_at(0, 20, 2);
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	for (uint64_t ip = 1; ip <= 3; ip++)
		cr_assert_eq(next_ip(o), ip);
	ordered_close(o);
}

Test(ordered, sorts_a_record_that_is_late_by_more_than_its_chunk)
{
	const uint64_t nr = 3 * CHUNK_SCAN_BYTES / 64;
	struct ordered *o;

	for (uint64_t i = 2; i <= nr; i++)
		sample_at(0, 10 * i, i);
	sample_at(0, 10, 1);
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	cr_assert_gt(t.nr, 2);
	for (uint64_t ip = 1; ip <= nr; ip++)
		cr_assert_eq(next_ip(o), ip);
	cr_assert_eq(next_ip(o), 0);
	ordered_close(o);
}

Test(ordered, names_a_chunk_with_records_of_times_that_its_header_does_not_tell)
{
	struct ordered *o;

	sample_at(0, 10, 1);
	sample_at(0, 30, 2);
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	ordered_close(o);
	t.chunks[0].time_max_ns = 20;
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	cr_expect_eq(next_ip(o), 1);
	cr_expect_eq(next_ip(o), 2);
	cr_expect_eq(ordered_damage(o)->nr, 1);
	ordered_close(o);
}

Test(ordered, gives_equal_times_by_stream_then_offset)
{
	struct ordered *o;

	sample_at(1, 10, 3);
	sample_at(1, 10, 4);
	sample_at(0, 10, 1);
	sample_at(0, 10, 2);
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	for (uint64_t ip = 1; ip <= 4; ip++)
		cr_assert_eq(next_ip(o), ip);
	ordered_close(o);
}

Test(ordered, gives_records_without_a_time_first)
{
	struct ordered_record r;
	struct ordered *o;

	sample_at(0, 10, 1);
	made_comm(&m, 2, 7, 7, "late", 5);
	made_comm(&m, 2, 8, 8, "synthesized", 0);
	o = open_all(ORDERED_ALL, 0, UINT64_MAX);
	cr_assert_eq(ordered_next(o, &r), 1);
	cr_assert_eq(r.time_ns, 0);
	cr_assert_eq(ordered_next(o, &r), 1);
	cr_assert_eq(r.time_ns, 5);
	cr_assert_eq(r.stream, 2);
	cr_assert_eq(ordered_next(o, &r), 1);
	cr_assert_eq(r.time_ns, 10);
	cr_assert_eq(ordered_next(o, &r), 0);
	ordered_close(o);
}

Test(ordered, gives_only_the_types_that_are_wanted)
{
	struct ordered_record r;
	struct ordered *o;

	sample_at(0, 10, 1);
	made_comm(&m, 0, 7, 7, "a", 20);
	o = open_all(CHUNK_TASK_TYPES, 0, UINT64_MAX);
	cr_assert_eq(ordered_next(o, &r), 1);
	cr_assert_eq(r.time_ns, 20);
	cr_assert_eq(ordered_next(o, &r), 0);
	ordered_close(o);
}

Test(ordered, names_file_and_offset_of_a_record)
{
	struct ordered_record r;
	struct ordered *o;

	sample_at(1, 10, 1);
	sample_at(1, 20, 2);
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	ordered_next(o, &r);
	ordered_next(o, &r);
	cr_assert_eq(r.stream, 1);
	cr_assert_eq(r.offset, 64);
	ordered_close(o);
}

Test(ordered, splits_into_windows_without_loss_or_repetition)
{
	const uint64_t cuts[] = {0, 1, 40000, 40001, 90000, UINT64_MAX};
	uint64_t seed = 1, sum = 0, nr = 0;

	for (uint64_t i = 1; i <= 30000; i++) {
		sample_at(i % 3, 1 + next_random(&seed) % 100000, i);
		sum += i;
	}
	for (size_t w = 0; w + 1 < sizeof(cuts) / sizeof(*cuts); w++) {
		struct ordered *o = open_all(ORDERED_SAMPLES, cuts[w], cuts[w + 1]);
		struct ordered_record r;
		uint64_t last = cuts[w];

		while (ordered_next(o, &r) == 1) {
			cr_assert(r.time_ns >= last && r.time_ns < cuts[w + 1]);
			last = r.time_ns;
			sum -= ts_record_load_u64((const uint8_t *)r.hdr + 16);
			nr++;
		}
		ordered_close(o);
	}
	cr_assert_eq(nr, 30000);
	cr_assert_eq(sum, 0);
}

Test(ordered, gives_the_places_of_records_behind_a_hole_of_a_damaged_chunk)
{
	const uint64_t payload = made_chunk(&m, 1, 30, 100, 0);
	struct ordered_record r;
	struct ordered *o;

	m.bytes[1].data[payload + 2 * 64 + 2] ^= 1; /* a type */
	m.bytes[1].data[payload + 15 * 64 + 2] ^= 1;
	o = open_all(ORDERED_SAMPLES, 0, UINT64_MAX);
	for (uint64_t i = 0; i < 30; i++) {
		if (i == 2 || i == 15)
			continue;
		cr_assert_eq(ordered_next(o, &r), 1);
		cr_expect_eq(r.time_ns, 100 + i);
		cr_expect_eq(r.offset, payload + i * 64);
	}
	cr_expect_eq(ordered_next(o, &r), 0);
	ordered_close(o);
}
