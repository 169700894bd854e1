// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/capture_clock.h"

#include <criterion/criterion.h>

TestSuite(capture_clock);

Test(capture_clock, tells_the_wall_clock_before_and_after_the_moment)
{
	const struct capture_clock clock = {.has_wall = true, .wall_ns = 5000, .then_ns = 100};

	cr_expect_eq(capture_clock_wall_ns(&clock, 100), 5000);
	cr_expect_eq(capture_clock_wall_ns(&clock, 130), 5030);
	cr_expect_eq(capture_clock_wall_ns(&clock, 40), 4940);
}

Test(capture_clock, a_wall_clock_beyond_its_range_is_unknown)
{
	const struct capture_clock early = {.has_wall = true, .wall_ns = 50, .then_ns = 100};
	const struct capture_clock late = {
		.has_wall = true, .wall_ns = UINT64_MAX - 10, .then_ns = 100};

	cr_expect_eq(capture_clock_wall_ns(&early, 20), 0);
	cr_expect_eq(capture_clock_wall_ns(&late, 110), UINT64_MAX);
	cr_expect_eq(capture_clock_wall_ns(&late, 111), 0);
}

Test(capture_clock, without_a_moment_there_is_no_wall_clock)
{
	const struct capture_clock clock = {.wall_ns = 5000, .then_ns = 100};

	cr_expect_eq(capture_clock_wall_ns(&clock, 100), 0);
}

Test(capture_clock, is_the_clock_of_the_first_event_or_that_of_perf)
{
	struct ts_event event = {.attr = {.use_clockid = 1, .clockid = 7}};
	struct ts_header header = {.events = {.items = &event, .nr = 1}};

	cr_expect_eq(capture_clock_of(&header).id, 7);
	event.attr.use_clockid = 0;
	cr_expect_eq(capture_clock_of(&header).id, CAPTURE_CLOCK_PERF);
	header.events.nr = 0;
	cr_expect_eq(capture_clock_of(&header).id, CAPTURE_CLOCK_PERF);
	cr_expect_not(capture_clock_of(&header).has_wall);
}

/* Version 1, the monotonic clock, 9000 ns since 1970 at 400 ns of it. */
Test(capture_clock, is_that_of_the_moment_in_the_header)
{
	static const uint8_t moment[24] = {
		1, [4] = 1, [8] = 0x28, [9] = 0x23, [16] = 0x90, [17] = 1};
	struct ts_event event = {.attr = {.use_clockid = 1, .clockid = 7}};
	struct ts_header header = {.events = {.items = &event, .nr = 1}};
	struct capture_clock clock;

	header.features[TS_FEAT_CLOCK_DATA] = (struct ts_feature_section){moment, sizeof(moment)};
	clock = capture_clock_of(&header);
	cr_expect_eq(clock.id, 1);
	cr_expect_eq(capture_clock_wall_ns(&clock, 500), 9100);
	header.features[TS_FEAT_CLOCK_DATA].size = 23;
	clock = capture_clock_of(&header);
	cr_expect_not(clock.has_wall);
	cr_expect_eq(clock.id, 7, "a section that is cut has no moment");
}

Test(capture_clock, without_a_moment_the_start_of_the_recorder_stands_for_it)
{
	struct capture_clock clock = {.id = CAPTURE_CLOCK_PERF};

	cr_expect_eq(capture_clock_offset_ns(&clock), 0);
	capture_clock_take_start(&clock, 0, 100);
	cr_expect_not(clock.has_wall);
	capture_clock_take_start(&clock, 5000, 100);
	cr_expect_eq(capture_clock_wall_ns(&clock, 130), 5030);
	cr_expect_eq(capture_clock_offset_ns(&clock), 4900);
	capture_clock_take_start(&clock, 9000, 100);
	cr_expect_eq(capture_clock_wall_ns(&clock, 130), 5030, "a moment that is known stays");
}
