// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/names_gaps.h"

#include <criterion/criterion.h>

static struct names_gaps gaps;

Test(names_gaps, keeps_times_apart_that_do_not_touch)
{
	names_gaps_add(&gaps, 10, 20);
	names_gaps_add(&gaps, 30, 40);
	cr_assert_eq(gaps.nr, 2);
	cr_expect_eq(gaps.items[1].from_ns, 30);
}

Test(names_gaps, joins_a_time_to_the_one_that_it_touches)
{
	names_gaps_add(&gaps, 10, 20);
	names_gaps_add(&gaps, 20, 40);
	names_gaps_add(&gaps, 5, 0);
	cr_assert_eq(gaps.nr, 1);
	cr_expect_eq(gaps.items[0].from_ns, 5);
	cr_expect_eq(gaps.items[0].to_ns, 0, "up to the end");
}

Test(names_gaps, joins_the_last_ones_if_there_are_too_many)
{
	for (uint64_t i = 1; i <= NAMES_GAPS_MAX + 3; i++)
		names_gaps_add(&gaps, 10 * i, 10 * i + 5);
	cr_assert_eq(gaps.nr, NAMES_GAPS_MAX);
	cr_expect_eq(gaps.items[NAMES_GAPS_MAX - 1].from_ns, 10 * NAMES_GAPS_MAX);
	cr_expect_eq(gaps.items[NAMES_GAPS_MAX - 1].to_ns, 10 * (NAMES_GAPS_MAX + 3) + 5);
}
