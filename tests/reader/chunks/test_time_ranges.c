// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/time_ranges.h"

#include <criterion/criterion.h>
#include <errno.h>

#define SECOND 1000000000ull

static struct time_ranges ranges;

static void fini(void)
{
	time_ranges_release(&ranges);
}

TestSuite(time_ranges, .fini = fini);

/* For samples from 1000 to 2000. */
static int parse(const char *text)
{
	struct ts_error err;

	return time_ranges_parse(&ranges, text, 1000, 2000, &err);
}

static void expect_range(size_t i, uint64_t from_ns, uint64_t to_ns)
{
	cr_assert_gt(ranges.nr, i);
	cr_expect_eq(ranges.items[i].from_ns, from_ns);
	cr_expect_eq(ranges.items[i].to_ns, to_ns);
}

Test(time_ranges, take_seconds_with_nine_digits)
{
	cr_assert_eq(parse("1.5,2.000000001"), 0);
	expect_range(0, 1500000000, 2 * SECOND + 1);
}

Test(time_ranges, leave_out_start_or_stop)
{
	cr_assert_eq(parse(",3"), 0);
	expect_range(0, 0, 3 * SECOND);
	fini();
	cr_assert_eq(parse("3,"), 0);
	expect_range(0, 3 * SECOND, UINT64_MAX);
}

Test(time_ranges, take_several_in_order)
{
	cr_assert_eq(parse("1,2  3,4 5,"), 0);
	cr_assert_eq(ranges.nr, 3);
	expect_range(1, 3 * SECOND, 4 * SECOND);
	cr_expect(time_ranges_take(&ranges, 4 * SECOND));
	cr_expect_not(time_ranges_take(&ranges, 4 * SECOND + 1));
	cr_expect(time_ranges_overlap(&ranges, 2 * SECOND + 1, 3 * SECOND));
	cr_expect_not(time_ranges_overlap(&ranges, 2 * SECOND + 1, 3 * SECOND - 1));
}

Test(time_ranges, are_clipped)
{
	cr_assert_eq(parse("1,2 3,4 5,"), 0);
	cr_assert_eq(time_ranges_clip(&ranges, 2 * SECOND, 6 * SECOND), 0);
	cr_assert_eq(ranges.nr, 3);
	expect_range(0, 2 * SECOND, 2 * SECOND);
	expect_range(2, 5 * SECOND, 6 * SECOND);
	cr_assert_eq(time_ranges_clip(&ranges, 3 * SECOND, 4 * SECOND), 0);
	cr_assert_eq(ranges.nr, 1);
	expect_range(0, 3 * SECOND, 4 * SECOND);
}

Test(time_ranges, clipped_to_nothing_take_nothing)
{
	cr_assert_eq(parse("1,2"), 0);
	cr_assert_eq(time_ranges_clip(&ranges, 3 * SECOND, 4 * SECOND), 0);
	cr_expect_not(time_ranges_take(&ranges, 1 * SECOND));
	cr_expect_not(time_ranges_take(&ranges, 3 * SECOND));
	cr_expect(time_ranges_take(&ranges, 0), "but what has no time");
}

Test(time_ranges, of_all_times_are_clipped_to_one)
{
	ranges = (struct time_ranges){0};
	cr_assert_eq(time_ranges_clip(&ranges, 5, 7), 0);
	cr_assert_eq(ranges.nr, 1);
	expect_range(0, 5, 7);
}

Test(time_ranges, end_a_share_before_the_next_one)
{
	cr_assert_eq(parse("10%-20%,90%-100%"), 0);
	expect_range(0, 1100, 1199);
	expect_range(1, 1900, 2000);
}

Test(time_ranges, take_slices)
{
	cr_assert_eq(parse("10%/2,25%/4"), 0);
	expect_range(0, 1100, 1199);
	expect_range(1, 1750, 2000);
	fini();
	cr_assert_eq(parse("30%"), 0);
	expect_range(0, 1000, 1299);
}

Test(time_ranges, take_what_has_no_time)
{
	cr_assert_eq(parse("1,2"), 0);
	cr_expect(time_ranges_take(&ranges, 0));
}

Test(time_ranges, refuse_nonsense)
{
	static const char *const wrong[] = {
		"",
		" ",
		"5",
		"5,4",
		"1,3 2,4",
		"3, 4,5",
		"1;2",
		"1,2,3",
		"a,b",
		"1.1.1,",
		"-1,2",
		"1,1.0000000001",
		"99999999999999,",
		"%",
		"10%/",
		"10%/0",
		"10%/11",
		"10%/1x",
		"10%/-1",
		"0%/1",
		"20%-10%",
		"10%-",
		"-10%",
		"10-20%",
		"0%-101%",
		"10%-20%-30%",
		"10%,20%",
		"nan%",
		"inf%/1",
		"10%%",
		"1,10%",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		cr_expect_eq(parse(wrong[i]), -EINVAL, "'%s' was taken", wrong[i]);
		fini();
	}
}
