// SPDX-License-Identifier: Apache-2.0
#include "common/stream/timeline.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/base/clock.h"

#define SEC TS_NS_PER_SEC

static struct ts_timeline t, other;

static uint64_t at_second(uint64_t second, enum ts_loss_cause cause)
{
	uint64_t slot = second * SEC / t.step_ns;

	return slot >= t.first && slot < t.first + t.nr ? t.slots[slot - t.first].nr[cause] : 0;
}

static struct ts_chunk chunk(uint64_t nr, uint64_t min_ns, uint64_t max_ns, uint64_t lost)
{
	return (struct ts_chunk){
		.nr_records = nr,
		.time_min_ns = min_ns,
		.time_max_ns = max_ns,
		.lost = lost,
		.lost_cause = lost ? TS_LOSS_RING_FULL : TS_LOSS_NONE,
	};
}

static void add_chunk(uint64_t nr, uint64_t min_ns, uint64_t max_ns, uint64_t lost)
{
	struct ts_chunk c = chunk(nr, min_ns, max_ns, lost);

	ts_timeline_chunk(&t, &c);
}

Test(timeline, puts_records_into_their_second)
{
	add_chunk(7, 100 * SEC, 100 * SEC + 5, 0);
	add_chunk(9, 102 * SEC + 1, 102 * SEC + 2, 0);
	cr_assert_eq(t.nr, 3);
	cr_assert_eq(t.step_ns, SEC);
	cr_assert_eq(at_second(100, TS_LOSS_NONE), 7);
	cr_assert_eq(at_second(101, TS_LOSS_NONE), 0);
	cr_assert_eq(at_second(102, TS_LOSS_NONE), 9);
}

Test(timeline, spreads_a_loss_over_the_time_since_the_chunk_before)
{
	add_chunk(1, 10 * SEC, 10 * SEC, 0);
	add_chunk(1, 20 * SEC - 1, 20 * SEC - 1, 1000);
	for (uint64_t s = 10; s < 20; s++)
		cr_assert_eq(at_second(s, TS_LOSS_RING_FULL), 100, "second %d", (int)s);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_RING_FULL), 1000);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_NONE), 2);
}

Test(timeline, takes_a_loss_before_the_first_chunk_as_one_of_its_own_time)
{
	add_chunk(3, 10 * SEC, 12 * SEC - 1, 8);
	cr_assert_eq(at_second(10, TS_LOSS_RING_FULL), 4);
	cr_assert_eq(at_second(11, TS_LOSS_RING_FULL), 4);
}

Test(timeline, loses_no_record_by_rounding)
{
	uint64_t n = 0;

	for (uint64_t i = 1; i < 500; i++) {
		add_chunk(i, 5 * SEC + i * 7919 * 1000, 9 * SEC + i * 104729 * 1000, i % 3);
		n += i;
	}
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_NONE), n);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_RING_FULL), 499);
}

Test(timeline, doubles_its_step_when_it_is_full)
{
	for (uint64_t s = 1001; s < 1001 + 10000; s++)
		add_chunk(s % 7, s * SEC, s * SEC + 1, 0);
	cr_assert_eq(t.step_ns, 64 * SEC);
	cr_assert_leq(t.nr, TS_TIMELINE_SLOTS);
	cr_assert_eq(t.first, 1001 / 64);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_NONE), 1428 * 21 + 6);
	/*
	 * 1024 .. 1087 are 64 seconds: 9 whole periods of 7 seconds with 21 records each, and one
	 * second
	 */
	cr_assert_eq(at_second(1024, TS_LOSS_NONE), 9 * 21 + 1024 % 7);
}

Test(timeline, is_the_same_whether_it_was_merged_before_or_after)
{
	struct ts_chunk first = chunk(1000, 11 * SEC, 75 * SEC + 12345, 77);

	add_chunk(1000, 11 * SEC, 75 * SEC + 12345, 77);
	add_chunk(1, 3000 * SEC, 3000 * SEC, 0);
	other = t;
	memset(&t, 0, sizeof(t));
	ts_timeline_add(&t, TS_LOSS_NONE, 1, 3000 * SEC, 3000 * SEC);
	ts_timeline_chunk(&t, &first);
	t.last_ns = other.last_ns;
	cr_assert_eq(memcmp(&t, &other, sizeof(t)), 0);
}

Test(timeline, reaches_back_when_a_chunk_is_older)
{
	add_chunk(1, 100 * SEC, 100 * SEC, 0);
	add_chunk(2, 98 * SEC, 98 * SEC, 0);
	cr_assert_eq(at_second(98, TS_LOSS_NONE), 2);
	cr_assert_eq(at_second(100, TS_LOSS_NONE), 1);
	add_chunk(4, SEC, SEC, 0);
	cr_assert_eq(at_second(1, TS_LOSS_NONE), 4);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_NONE), 7);
}

Test(timeline, takes_back_what_was_not_written)
{
	struct ts_chunk c = chunk(1000, 50 * SEC, 60 * SEC, 5);

	ts_timeline_chunk(&t, &c);
	add_chunk(1, 400 * SEC, 400 * SEC, 0);
	ts_timeline_unwrite(&t, &c, 300);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_NONE), 301);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_DISK), 700);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_RING_FULL), 5);
	ts_timeline_unwrite(&t, &(struct ts_chunk){.nr_records = 4}, 0);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_DISK), 700);
	for (uint32_t i = 0; i < t.nr; i++)
		cr_assert_leq(t.slots[i].nr[TS_LOSS_NONE], 1000);
}

Test(timeline, counts_apart_what_has_no_time)
{
	add_chunk(5, 0, 0, 2);
	cr_assert_eq(t.untimed.nr[TS_LOSS_NONE], 5);
	cr_assert_eq(t.untimed.nr[TS_LOSS_RING_FULL], 2);
	cr_assert_eq(t.nr, 0);
	add_chunk(1, 7 * SEC, 7 * SEC, 0);
	add_chunk(6, 0, 0, 0);
	cr_assert_eq(at_second(7, TS_LOSS_NONE), 7);
}

Test(timeline, survives_times_that_cannot_be)
{
	add_chunk(1, 3 * SEC, 3 * SEC, 0);
	add_chunk(2, UINT64_MAX - 1, UINT64_MAX, 1);
	cr_assert_eq(t.untimed.nr[TS_LOSS_NONE], 2);
	add_chunk(4, 9 * SEC, 8 * SEC, 1);
	add_chunk(8, 1, INT64_MAX, 1);
	cr_assert_leq(t.nr, TS_TIMELINE_SLOTS);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_NONE), 13);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_RING_FULL) + t.untimed.nr[TS_LOSS_RING_FULL], 3);
}

Test(timeline, takes_a_cause_of_later_versions_as_a_full_ring)
{
	struct ts_chunk c = chunk(1, SEC, SEC, 3);

	c.lost_cause = (enum ts_loss_cause)250;
	ts_timeline_chunk(&t, &c);
	cr_assert_eq(ts_timeline_sum(&t, TS_LOSS_RING_FULL), 3);
}
