// SPDX-License-Identifier: Apache-2.0
/* The walk through a backward ring, which a memfd plays: the test writes as the kernel would. */
#include "streamer/ring_backward.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"

#define SIZE 65536

static struct ring ring;
static struct perf_event_mmap_page *page;
static uint8_t *data;
static uint8_t out[SIZE];
static uint64_t next_number;

static void set_up(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct ring_id id = {.number = 1, .cpu = 0, .kind = TS_RING_OVERWRITE};
	int fd = memfd_create("backward", MFD_CLOEXEC);
	struct ts_error err;

	cr_assert_geq(fd, 0);
	cr_assert_eq(ftruncate(fd, (off_t)(page_bytes + SIZE)), 0);
	page = mmap(NULL, page_bytes + SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert_neq(page, MAP_FAILED);
	data = (uint8_t *)page + page_bytes;
	cr_assert_eq(ring_open(&ring, &id, fd, -1, SIZE, &err), 0, "%s", err.text);
	next_number = 0;
	close(fd);
}

static void tear_down(void)
{
	ring_close(&ring);
	ring_close(&ring);
	munmap(page, (size_t)sysconf(_SC_PAGESIZE) + SIZE);
}

static void write_at(uint64_t pos, const void *from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[(pos + i) & (SIZE - 1)] = ((const uint8_t *)from)[i];
}

/* A record of that size, with its number behind its header and at its end. */
static void put(size_t size)
{
	struct perf_event_header hdr = {.type = PERF_RECORD_SAMPLE, .size = (uint16_t)size};
	uint64_t head_pos = page->data_head - size;

	write_at(head_pos, &hdr, sizeof(hdr));
	write_at(head_pos + sizeof(hdr), &next_number, sizeof(next_number));
	write_at(head_pos + size - sizeof(next_number), &next_number, sizeof(next_number));
	page->data_head = head_pos;
	next_number++;
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

Test(ring_backward, takes_nothing_twice, .init = set_up, .fini = tear_down)
{
	for (int i = 0; i < 3000; i++)
		put(56);
	take();
	copy_all();
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

/* Samples of 56 bytes have their time at byte 32. */
static void put_sample(uint64_t time_ns)
{
	put(56);
	write_at(page->data_head + 32, &time_ns, sizeof(time_ns));
}

Test(ring_backward, leaves_what_is_newer_for_the_next_dump, .init = set_up, .fini = tear_down)
{
	for (uint64_t time_ns = 1; time_ns <= 30; time_ns++)
		put_sample(time_ns);
	cr_assert(overwrite_state_move(&ring.past.state, OVERWRITE_DATA_PENDING));
	ring_take(&ring, 21);
	cr_assert_eq(check(copy_all(), 0), 20);
	resume();
	put_sample(31);
	take();
	cr_assert_eq(check(copy_all(), 20), 11);
	cr_assert_eq(ring.past.overwritten_bytes, 0);
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
	write_at(page->data_head + 64 * 4, &none, sizeof(none));
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
	cr_assert_geq(sched_getcpu(), 0);
	ring.id.cpu = (uint32_t)sched_getcpu();
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
