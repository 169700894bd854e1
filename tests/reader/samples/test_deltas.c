// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/deltas.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "reader/chunks/chunk_load.h"
#include "reader/order/ordered.h"
#include "tests/support/made_capture.h"

#define OTHER_ID  78
#define READ_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ)

/* More than a chunk of the scan. */
#define MANY 20000

static struct made_capture m;
static struct chunk_table t;
static struct deltas deltas;

/* Two events; samples of the first event read both counters. */
static void init(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = READ_TYPE,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
		.sample_id_all = 1,
	};
	const uint64_t ids[] = {MADE_ID, OTHER_ID};
	struct ts_error err;

	made_capture_init(&m, 2);
	ts_events_release(&m.capture.header.events);
	for (size_t i = 0; i < 2; i++)
		ts_events_add(&m.capture.header.events, &attr, i ? "other" : "leader", &ids[i], 1,
			      &err);
	ts_events_index(&m.capture.header.events, &err);
}

static void fini(void)
{
	deltas_close(&deltas);
	chunk_table_close(&t);
	made_capture_release(&m);
}

TestSuite(deltas, .init = init, .fini = fini);

static void put_sample(size_t stream, uint64_t time_ns, uint32_t tid, uint64_t value,
		       uint64_t other)
{
	const struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE, .size = 8 + 8 * 8};
	struct ts_bytes *b = &m.bytes[stream];

	ts_bytes_put(b, &hdr, sizeof(hdr));
	ts_bytes_u64(b, MADE_ID);
	ts_bytes_u32(b, tid);
	ts_bytes_u32(b, tid);
	ts_bytes_u64(b, time_ns);
	ts_bytes_u64(b, 2);
	ts_bytes_u64(b, value);
	ts_bytes_u64(b, MADE_ID);
	ts_bytes_u64(b, other);
	ts_bytes_u64(b, OTHER_ID);
}

static void open_all(unsigned int nr_workers)
{
	struct ts_error err;

	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&t, &m.capture, nr_workers, 0, NULL, &err), 0);
	cr_assert_eq(deltas_open(&deltas, &t, nr_workers, &err), 0);
}

/* By how much each of the two counters has grown between samples i - 1 and i. */
static uint64_t step(uint64_t i)
{
	return i * 2654435761u % 1000 + 1;
}

static void put_many(void)
{
	uint64_t value = 0, other = 0;

	for (uint64_t i = 0; i < MANY; i++) {
		value += step(i);
		other += i % 3 ? 0 : step(i + MANY);
		put_sample(0, 1000 + i, 5, value, other);
	}
}

static void expect(const struct delta_walk *d, int nr, uint64_t i)
{
	struct ts_sample sample = {0};

	cr_assert_eq(nr, i % 3 ? 1 : 2, "sample %d", (int)i);
	delta_give(d, 0, &sample);
	cr_assert(sample.sid.event == 0 && sample.period == step(i), "sample %d", (int)i);
	if (nr < 2)
		return;
	delta_give(d, 1, &sample);
	cr_assert(sample.sid.event == 1 && sample.sid.id == OTHER_ID);
	cr_assert_eq(sample.period, step(i + MANY), "sample %d", (int)i);
}

/* Walks a window of time over the samples of put_many(). */
static void walk_window(uint64_t from_ns, uint64_t to_ns)
{
	const struct ordered_window window = {
		.types = ORDERED_SAMPLES, .from_ns = from_ns, .to_ns = to_ns};
	struct ordered *o = ordered_open(&t, &window);
	struct ordered_record r;
	struct delta_walk d;
	struct ts_sample sample;

	delta_init(&d, &deltas);
	delta_begin(&d, from_ns);
	while (ordered_next(o, &r) > 0) {
		cr_assert_eq(ts_decode_sample(deltas.events, r.hdr, &sample), TS_DECODE_OK);
		expect(&d, delta_take(&d, &sample, r.stream, r.offset), r.time_ns - 1000);
	}
	delta_release(&d);
	ordered_close(o);
}

Test(deltas, are_the_same_from_wherever_a_window_begins)
{
	put_many();
	open_all(2);
	cr_assert_gt(t.nr, 2);
	walk_window(0, UINT64_MAX);
	for (uint64_t i = 0; i < 20; i++)
		walk_window(1000 + i * MANY / 20, 1000 + (i + 1) * MANY / 20);
}

static void walk_chunk(const struct chunk *chunk)
{
	struct chunk_buffer buf = {0};
	const uint8_t *records;
	struct ts_sample sample;
	struct ts_error err;
	struct delta_walk d;
	size_t len;

	delta_init(&d, &deltas);
	delta_begin(&d, 0);
	cr_assert_eq(chunk_load(&t, chunk, &buf, &records, &len, &err), 0);
	cr_assert_eq(delta_list(&d, records, len), 0);
	for (size_t i = 0; i < d.nr_order; i++) {
		ts_decode_sample(deltas.events, (const void *)(records + d.order[i].offset),
				 &sample);
		expect(&d, delta_take(&d, &sample, chunk->stream, chunk->offset),
		       sample.sid.time_ns - 1000);
	}
	chunk_buffer_release(&buf);
	delta_release(&d);
}

Test(deltas, are_the_same_for_any_order_of_chunks)
{
	put_many();
	open_all(3);
	for (size_t i = t.nr; i-- > 0;)
		walk_chunk(&t.chunks[i]);
}

/* As perf record --overwrite leaves it: the youngest first. */
Test(deltas, go_by_time_where_a_stream_goes_backwards)
{
	uint64_t value = 0, other = 0;

	for (uint64_t i = 0; i < MANY; i++) {
		value += step(i);
		other += i % 3 ? 0 : step(i + MANY);
	}
	for (uint64_t i = MANY; i-- > 0;) {
		put_sample(0, 1000 + i, 5, value, other);
		value -= step(i);
		other -= i % 3 ? 0 : step(i + MANY);
	}
	open_all(2);
	for (size_t i = 0; i < t.nr; i++)
		walk_chunk(&t.chunks[i]);
	walk_window(1000 + MANY / 3, 1000 + MANY / 2);
}

static int take(struct delta_walk *d, uint64_t i, struct ts_sample *ret)
{
	const uint8_t *at = m.bytes[0].data + i * 72;
	int nr;

	cr_assert_eq(ts_decode_sample(deltas.events, (const void *)at, ret), TS_DECODE_OK);
	nr = delta_take(d, ret, 0, 0);
	if (nr)
		delta_give(d, 0, ret);
	return nr;
}

Test(deltas, are_of_each_thread_where_counters_are_inherited)
{
	const uint64_t grown[] = {100, 30, 50};
	struct ts_sample sample;
	struct delta_walk d;

	for (size_t i = 0; i < 2; i++)
		m.capture.header.events.items[i].attr.inherit = 1;
	put_sample(0, 10, 5, 100, 0);
	put_sample(0, 20, 6, 30, 0);
	put_sample(0, 30, 5, 150, 0);
	open_all(1);
	delta_init(&d, &deltas);
	delta_begin(&d, 0);
	for (uint64_t i = 0; i < 3; i++) {
		cr_assert_eq(take(&d, i, &sample), 1);
		cr_assert_eq(sample.period, grown[i]);
	}
	delta_release(&d);
}

Test(deltas, of_a_counter_that_the_header_lacks_are_counted_as_unknown)
{
	struct ts_sample sample;
	struct delta_walk d;

	put_sample(0, 10, 5, 100, 7);
	m.bytes[0].data[64] = 99; /* the id of the second counter */
	open_all(1);
	delta_init(&d, &deltas);
	delta_begin(&d, 0);
	cr_assert_eq(take(&d, 0, &sample), 1);
	cr_assert_eq(d.nr_unknown, 1);
	delta_release(&d);
}
