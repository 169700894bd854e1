// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_gaps.h"

#include <criterion/criterion.h>

#include "common/base/clock.h"

#define SEC TS_NS_PER_SEC

static struct timed_gaps gaps;
static const struct selection *selection;

/* A chunk of 10 samples, of tenths of a second, and the samples that were lost before it. */
static struct chunk chunk(uint64_t from, uint64_t to, uint64_t lost)
{
	return (struct chunk){
		.header_bytes = TS_CHUNK_HEADER_BYTES,
		.flags = CHUNK_SAMPLES,
		.nr_records = 10,
		.time_min_ns = from * SEC / 10,
		.time_max_ns = to * SEC / 10,
		.ring = 1,
		.cpu = 1,
		.lost = lost,
		.lost_cause = lost ? TS_LOSS_DISK : TS_LOSS_NONE,
	};
}

/* Two captures with the same two losses, 6 in second 10 and 4 in second 13; samples as they begin there. */
static void find(uint64_t start_of_first, uint64_t start_of_second, uint64_t length)
{
	struct chunk chunks[] = {chunk(102, 104, 0), chunk(106, 109, 6), chunk(130, 132, 0),
				 chunk(134, 138, 4)};
	struct capture capture = {.kind = CAPTURE_FILE, .path = (char *)"nowhere"};
	struct chunk_table table = {
		.capture = &capture, .selection = selection, .chunks = chunks, .nr = 4};
	const struct overview captures[] = {{.capture = &capture, .chunks = &table},
					    {.capture = &capture, .chunks = &table}};
	uint64_t starts_ns[] = {start_of_first, start_of_second};
	const struct timed_samples samples = {
		.starts_ns = starts_ns, .nr_captures = 2, .length_ns = length};
	struct ts_error err;

	cr_assert_eq(timed_gaps_init(&gaps, captures, &samples, &err), 0);
}

static void expect_gap(size_t i, uint32_t capture, uint64_t from_ns, uint64_t until_ns,
		       uint64_t nr_lost)
{
	cr_assert_lt(i, gaps.nr);
	cr_expect_eq(gaps.items[i].capture, capture);
	cr_expect_eq(gaps.items[i].from_ns, from_ns);
	cr_expect_eq(gaps.items[i].until_ns, until_ns);
	cr_expect_eq(gaps.items[i].nr_lost, nr_lost);
	cr_expect_eq(gaps.items[i].nr_kept, 20);
}

Test(timed_gaps, are_seconds_after_the_first_sample_of_their_capture)
{
	find(105 * SEC / 10, 9 * SEC, 5 * SEC);
	cr_assert_eq(gaps.nr, 4);
	expect_gap(0, 0, 0, SEC / 2, 6); /* what was before the first sample is cut off */
	expect_gap(1, 0, 5 * SEC / 2, 7 * SEC / 2, 4);
	expect_gap(2, 1, SEC, 2 * SEC, 6);
	expect_gap(3, 1, 4 * SEC, 5 * SEC, 4);
	timed_gaps_release(&gaps);
	timed_gaps_release(&gaps);
}

Test(timed_gaps, lie_at_the_first_sample_or_the_last_one_if_no_sample_is_near)
{
	find(11 * SEC, 11 * SEC, SEC);
	cr_assert_eq(gaps.nr, 4);
	expect_gap(0, 0, 0, 0, 6);
	expect_gap(1, 0, SEC, SEC, 4);
	timed_gaps_release(&gaps);
}

Test(timed_gaps, are_within_selected_times)
{
	const struct selection selected = {.times = {.nr = 1}};

	selection = &selected;
	find(11 * SEC, 11 * SEC, SEC);
	cr_expect_eq(gaps.nr, 0);
	timed_gaps_release(&gaps);
	find(11 * SEC, 9 * SEC, 3 * SEC);
	cr_assert_eq(gaps.nr, 2);
	expect_gap(0, 0, 2 * SEC, 3 * SEC, 4);
	expect_gap(1, 1, SEC, 2 * SEC, 6);
	timed_gaps_release(&gaps);
}

Test(timed_gaps, are_not_those_of_a_capture_without_samples)
{
	find(UINT64_MAX, 9 * SEC, 5 * SEC);
	cr_assert_eq(gaps.nr, 2);
	expect_gap(0, 1, SEC, 2 * SEC, 6);
	expect_gap(1, 1, 4 * SEC, 5 * SEC, 4);
	timed_gaps_release(&gaps);
}
