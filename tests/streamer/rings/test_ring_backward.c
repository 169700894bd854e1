// SPDX-License-Identifier: Apache-2.0
/* The walk through a backward ring, which a memfd plays: the test writes as the kernel would. */
#include "streamer/rings/ring_backward.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/backward_ring.h"

#define SIZE 65536

static struct backward_ring kernel;
static struct ring ring;
static uint8_t out[SIZE];

static void set_up(void)
{
	backward_ring_open(&kernel, &ring, SIZE);
}

static void tear_down(void)
{
	ring_close(&ring);
	ring_close(&ring);
	backward_ring_release(&kernel);
}

static void put(size_t size)
{
	backward_ring_put(&kernel, size);
}

static void take(void)
{
	cr_assert(overwrite_state_move(&ring.past.state, OVERWRITE_DATA_PENDING));
	ring_take(&ring, TS_TIME_NEVER);
	cr_assert_eq(ring.past.state, OVERWRITE_EMPTY);
}

static void resume(void)
{
	cr_assert(overwrite_state_move(&ring.past.state, OVERWRITE_RUNNING));
}

/* Checks that len bytes of `out` are whole records, numbered from `first` on; how many. */
static uint64_t check(size_t len, uint64_t first)
{
	uint64_t nr = 0, number;
	size_t at = 0;

	while (at < len) {
		struct perf_event_header hdr;

		memcpy(&hdr, out + at, sizeof(hdr));
		cr_assert_leq(hdr.size, len - at);
		memcpy(&number, out + at + sizeof(hdr), sizeof(number));
		cr_assert_eq(number, first + nr);
		memcpy(&number, out + at + hdr.size - sizeof(number), sizeof(number));
		cr_assert_eq(number, first + nr);
		at += hdr.size;
		nr++;
	}
	return nr;
}

static size_t copy_all(void)
{
	size_t len = 0;

	cr_assert_eq(ring_dump_copy(&ring, out, sizeof(out), &len), RING_COPY_DONE);
	cr_assert_eq(ring_dump_pending(&ring), 0);
	return len;
}

Test(ring_backward, has_nothing_before_the_first_dump, .init = set_up, .fini = tear_down)
{
	size_t len = 77;

	put(64);
	cr_assert_eq(ring_dump_pending(&ring), 0);
	cr_assert_eq(ring_dump_copy(&ring, out, sizeof(out), &len), RING_COPY_EMPTY);
	cr_assert_eq(len, 77);
}

Test(ring_backward, takes_nothing_of_an_empty_ring, .init = set_up, .fini = tear_down)
{
	take();
	cr_assert_eq(ring_dump_pending(&ring), 0);
	cr_assert_eq(ring.past.overwritten_bytes, 0);
}

Test(ring_backward, puts_records_into_the_order_of_time, .init = set_up, .fini = tear_down)
{
	for (int i = 0; i < 100; i++)
		put(32 + 8 * (size_t)(i % 5));
	take();
	cr_assert_eq(check(copy_all(), 0), 100);
	cr_assert_eq(ring.past.overwritten_bytes, 0);
}

Test(ring_backward, returns_all_of_a_ring_that_is_exactly_full, .init = set_up, .fini = tear_down)
{
	for (int i = 0; i < SIZE / 64; i++)
		put(64);
	take();
	cr_assert_eq(check(copy_all(), 0), SIZE / 64);
	cr_assert_eq(ring.past.overwritten_bytes, 0);
}

/* 56 divides no power of two: the oldest is torn, and some record wraps the end. */
Test(ring_backward, drops_the_torn_oldest, .init = set_up, .fini = tear_down)
{
	uint64_t whole = SIZE / 56, put_bytes = 3000 * 56;

	for (int i = 0; i < 3000; i++)
		put(56);
	take();
	cr_assert_eq(check(copy_all(), 3000 - whole), whole);
	cr_assert_eq(ring.past.overwritten_bytes, put_bytes - whole * 56);
}

Test(ring_backward, is_looked_at_without_being_taken, .init = set_up, .fini = tear_down)
{
	for (int i = 0; i < 3000; i++)
		put(56);
	for (int i = 0; i < 2; i++) {
		size_t off = ring_peek(&ring, out);

		memmove(out, out + off, SIZE - off);
		cr_assert_eq(check(SIZE - off, 3000 - SIZE / 56), SIZE / 56);
	}
	take();
	cr_assert_eq(check(copy_all(), 3000 - SIZE / 56), SIZE / 56);
}

Test(ring_backward, takes_nothing_twice, .init = set_up, .fini = tear_down)
{
	for (int i = 0; i < 3000; i++)
		put(56);
	take();
	copy_all();
	ring.past.overwritten_bytes = 0; /* a chunk has told it */
	resume();
	for (int i = 0; i < 10; i++)
		put(80);
	take();
	cr_assert_eq(check(copy_all(), 3000), 10);
	cr_assert_eq(ring.past.overwritten_bytes, 0);
	resume();
	take();
	cr_assert_eq(ring_dump_pending(&ring), 0);
}

Test(ring_backward, leaves_what_is_newer_for_the_next_dump, .init = set_up, .fini = tear_down)
{
	for (uint64_t time_ns = 1; time_ns <= 30; time_ns++)
		backward_ring_put_at(&kernel, time_ns);
	cr_assert(overwrite_state_move(&ring.past.state, OVERWRITE_DATA_PENDING));
	ring_take(&ring, 21);
	cr_assert_eq(check(copy_all(), 0), 20);
	resume();
	backward_ring_put_at(&kernel, 31);
	take();
	cr_assert_eq(check(copy_all(), 20), 11);
	cr_assert_eq(ring.past.overwritten_bytes, 0);
}

Test(ring_backward, adds_what_was_overwritten_before_a_dump_that_had_nothing, .init = set_up,
     .fini = tear_down)
{
	uint64_t size = ring.size_bytes;

	for (uint64_t i = 0; i < 2 * size / 64; i++)
		put(64);
	cr_assert(overwrite_state_move(&ring.past.state, OVERWRITE_DATA_PENDING));
	ring_take(&ring, 0);
	cr_assert_eq(ring_dump_pending(&ring), 0, "all of it is too new");
	cr_assert_eq(ring.past.overwritten_bytes, size);
	resume();
	for (uint64_t i = 0; i < 2 * size / 64; i++)
		put(64);
	take();
	cr_assert_eq(ring.past.overwritten_bytes, size + 2 * size);
}

Test(ring_backward, is_copied_in_pieces_of_whole_records, .init = set_up, .fini = tear_down)
{
	size_t len;

	for (int i = 0; i < 20; i++)
		put(64);
	take();
	cr_assert_eq(ring_dump_copy(&ring, out, 63, &len), RING_COPY_NO_ROOM);
	for (uint64_t i = 0; i < 20; i += 5) {
		cr_assert_eq(ring_dump_copy(&ring, out, 64 * 5 + 63, &len), RING_COPY_DONE);
		cr_assert_eq(check(len, i), 5);
	}
	cr_assert_eq(ring_dump_pending(&ring), 0);
}

Test(ring_backward, ends_at_what_cannot_be_a_record, .init = set_up, .fini = tear_down)
{
	struct perf_event_header none = {.size = 12};

	for (int i = 0; i < 20; i++)
		put(64);
	backward_ring_write(&kernel, kernel.page->data_head + 64 * 4, &none, sizeof(none));
	take();
	cr_assert_eq(check(copy_all(), 16), 4);
	cr_assert_eq(ring.past.overwritten_bytes, 16 * 64);
}

Test(ring_backward, that_the_kernel_does_not_pause_is_an_error, .init = set_up, .fini = tear_down)
{
	ring.id.cpu = 8191; /* where nobody can go */
	cr_assert_lt(ring_dump(&ring, TS_TIME_NEVER, true), 0);
}

Test(ring_backward, need_not_be_paused_by_who_runs_on_its_cpu, .init = set_up, .fini = tear_down)
{
	put(64);
	cr_assert_eq(ring_dump(&ring, TS_TIME_NEVER, true), 0);
	cr_assert_eq(check(copy_all(), 0), 1);
	cr_assert_eq(ring.past.state, OVERWRITE_RUNNING);
}

Test(ring_backward, that_is_paused_already_stays_so, .init = set_up, .fini = tear_down)
{
	put(64);
	take();
	cr_assert_eq(ring_dump(&ring, TS_TIME_NEVER, true), 0);
	cr_assert_eq(check(copy_all(), 0), 1);
}
