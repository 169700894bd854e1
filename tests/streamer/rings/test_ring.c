// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/perf/record.h"
#include "streamer/rings/ring.h"
#include "tests/support/fake_ring.h"

#define SIZE 65536

static struct fake_ring fake;
static struct ring ring;
static uint8_t out[4 * SIZE];

static void open_at(size_t size_bytes, uint64_t pos)
{
	fake_ring_init(&fake, size_bytes);
	fake_ring_start_at(&fake, pos);
	fake_ring_open(&fake, &ring, 3, TS_RING_SAMPLES);
}

static void close_both(void)
{
	ring_close(&ring);
	fake_ring_release(&fake);
}

/* Checks that `out` holds the samples numbered from `first` on, whole; returns how many. */
static uint64_t check_samples(const uint8_t *at, size_t len, uint64_t first)
{
	struct perf_event_header hdr;
	uint64_t nr = 0;
	size_t off = 0;

	while (off < len) {
		cr_assert_geq(len - off, sizeof(hdr));
		memcpy(&hdr, at + off, sizeof(hdr));
		cr_assert_eq(hdr.type, PERF_RECORD_SAMPLE);
		cr_assert_leq(hdr.size, len - off);
		cr_assert_eq(fake_sample_number(at + off), first + nr);
		if (hdr.size > FAKE_SAMPLE_BYTES_MIN)
			cr_assert_eq(ts_record_load_u64(at + off + hdr.size - 8), first + nr);
		off += hdr.size;
		nr++;
	}
	return nr;
}

Test(ring, is_empty_at_first)
{
	size_t len = 77;

	open_at(SIZE, 0);
	cr_assert_eq(ring_pending(&ring), 0);
	cr_assert_eq(ring_copy(&ring, out, sizeof(out), &len), RING_COPY_EMPTY);
	cr_assert_eq(len, 77);
	close_both();
}

Test(ring, copies_what_was_put_and_gives_the_space_back)
{
	size_t len;

	open_at(SIZE, 0);
	for (int i = 0; i < 100; i++)
		fake_ring_put_sample(&fake, 56);
	cr_assert_eq(ring_copy(&ring, out, sizeof(out), &len), RING_COPY_DONE);
	cr_assert_eq(len, 5600);
	cr_assert_eq(check_samples(out, len, 0), 100);
	cr_assert_eq(ring.page->data_tail, 5600);
	cr_assert_eq(ring_pending(&ring), 0);
	close_both();
}

Test(ring, returns_a_record_that_wraps_the_end)
{
	size_t len;

	open_at(SIZE, SIZE - 24);
	fake_ring_put_sample(&fake, 128);
	cr_assert_eq(ring_copy(&ring, out, sizeof(out), &len), RING_COPY_DONE);
	cr_assert_eq(len, 128);
	cr_assert_eq(check_samples(out, len, 0), 1);
	close_both();
}

Test(ring, reads_positions_that_wrap_64_bits)
{
	size_t len;

	open_at(SIZE, (uint64_t)-64);
	fake_ring_put_sample(&fake, 128);
	cr_assert_eq(ring_copy(&ring, out, sizeof(out), &len), RING_COPY_DONE);
	cr_assert_eq(check_samples(out, len, 0), 1);
	cr_assert_eq(ring.tail_pos, 64);
	close_both();
}

Test(ring, returns_all_of_a_full_ring)
{
	size_t len;

	open_at(SIZE, 4096 * 3 + 8);
	for (int i = 0; i < SIZE / 64; i++)
		cr_assert(fake_ring_put_sample(&fake, 64));
	cr_assert_not(fake_ring_put_sample(&fake, 64));
	cr_assert_eq(ring_pending(&ring), SIZE);
	cr_assert_eq(ring_copy(&ring, out, sizeof(out), &len), RING_COPY_DONE);
	cr_assert_eq(check_samples(out, len, 0), SIZE / 64);
	close_both();
}

Test(ring, cuts_at_a_record_when_the_room_is_smaller)
{
	size_t len;

	open_at(SIZE, SIZE - 200);
	for (int i = 0; i < 10; i++)
		fake_ring_put_sample(&fake, 120);
	cr_assert_eq(ring_copy(&ring, out, 500, &len), RING_COPY_DONE);
	cr_assert_eq(len, 480);
	cr_assert_eq(check_samples(out, len, 0), 4);
	cr_assert_eq(ring_copy(&ring, out, 720, &len), RING_COPY_DONE);
	cr_assert_eq(check_samples(out, len, 4), 6);
	close_both();
}

Test(ring, says_when_the_first_record_has_no_room)
{
	size_t len = 77;

	open_at(SIZE, 0);
	fake_ring_put_sample(&fake, 1024);
	cr_assert_eq(ring_copy(&ring, out, 1016, &len), RING_COPY_NO_ROOM);
	cr_assert_eq(ring_copy(&ring, out, 4, &len), RING_COPY_NO_ROOM);
	cr_assert_eq(len, 77);
	cr_assert_eq(ring.page->data_tail, 0);
	close_both();
}

Test(ring, returns_samples_of_65528_bytes_wherever_they_lie)
{
	size_t len;

	for (uint64_t pos = 0; pos < 2 * SIZE; pos += 8184) {
		open_at(2 * SIZE, pos);
		fake_ring_put_sample(&fake, 65528);
		fake_ring_put_sample(&fake, 65528);
		cr_assert_eq(ring_copy(&ring, out, 65528, &len), RING_COPY_DONE);
		cr_assert_eq(check_samples(out, len, 0), 1);
		cr_assert_eq(ring_copy(&ring, out, 65528, &len), RING_COPY_DONE);
		cr_assert_eq(check_samples(out, len, 1), 1);
		close_both();
	}
}

Test(ring, keeps_the_order_over_many_bursts)
{
	uint64_t expected = 0;
	size_t len;

	open_at(SIZE, 40);
	for (int burst = 0; burst < 2000; burst++) {
		for (int i = 0; i < burst % 97; i++)
			fake_ring_put_sample(&fake, 56 + 8 * ((burst * 31 + i) % 60));
		while (ring_copy(&ring, out, 4096 + burst, &len) == RING_COPY_DONE)
			expected += check_samples(out, len, expected);
	}
	cr_assert_gt(expected, 50000);
	cr_assert_eq(expected, fake.written);
	close_both();
}

Test(ring, breaks_on_a_head_that_cannot_be)
{
	static const uint64_t heads[] = {SIZE + 8, (uint64_t)-8, 12, UINT64_MAX, 1ULL << 63};
	size_t len;

	open_at(SIZE, 0);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		ring.page->data_head = heads[i];
		cr_assert_eq(ring_pending(&ring), RING_BROKEN);
		cr_assert_eq(ring_copy(&ring, out, sizeof(out), &len), RING_COPY_BROKEN);
	}
	close_both();
}

Test(ring, breaks_on_a_record_that_cannot_be)
{
	struct perf_event_header zero = {.type = 9, .size = 0}, odd = {.type = 9, .size = 57};
	size_t len;

	open_at(SIZE, 0);
	ring.page->data_head = 4096;
	memcpy(ring.data, &zero, sizeof(zero));
	cr_assert_eq(ring_copy(&ring, out, 1024, &len), RING_COPY_BROKEN);
	memcpy(ring.data, &odd, sizeof(odd));
	cr_assert_eq(ring_copy(&ring, out, 1024, &len), RING_COPY_BROKEN);
	cr_assert_eq(ring.page->data_tail, 0);
	close_both();
}

Test(ring, refuses_a_size_that_is_no_power_of_two)
{
	struct ring_id id = {.cpu = 7};
	struct ts_error err;
	struct ring r;

	cr_assert_eq(ring_open(&r, &id, -1, -1, 12288, &err), -EINVAL);
	cr_assert(strstr(err.text, "CPU 7"));
	cr_assert_eq(ring_open(&r, &id, -1, -1, 64, &err), -EINVAL);
	cr_assert_eq(ring_open(&r, &id, -1, -1, 65536, &err), -EBADF);
	ring_close(&r);
	ring_close(&r);
}
