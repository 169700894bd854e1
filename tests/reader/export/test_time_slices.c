// SPDX-License-Identifier: Apache-2.0
#include "reader/export/time_slices.h"

#include <criterion/criterion.h>

static struct time_slices s;
static uint64_t until_ns;

static void fini(void)
{
	time_slices_release(&s);
	time_slices_release(&s);
}

TestSuite(time_slices, .fini = fini);

Test(time_slices, have_about_as_many_samples_each)
{
	uint64_t from_ns = 1000;
	int nr = 0;

	cr_assert_eq(time_slices_init(&s, 1000, 1999, 100), 0);
	for (uint64_t t = 1000; t < 2000; t++)
		time_slices_count(&s, t);
	while (time_slices_next(&s, &until_ns) && until_ns) {
		cr_expect_eq(until_ns - from_ns, 100, "%lu", until_ns - from_ns);
		from_ns = until_ns;
		nr++;
	}
	cr_expect_eq(nr, 9, "%d and the last one", nr);
	cr_expect_not(time_slices_next(&s, &until_ns));
}

Test(time_slices, are_one_if_there_are_few_samples)
{
	cr_assert_eq(time_slices_init(&s, 5, UINT64_MAX, 100), 0);
	time_slices_count(&s, 5);
	time_slices_count(&s, UINT64_MAX);
	cr_expect(time_slices_next(&s, &until_ns));
	cr_expect_eq(until_ns, 0);
	cr_expect_not(time_slices_next(&s, &until_ns));
}

/* More samples at one time than a slice should have: they stay together, and others do not join them. */
Test(time_slices, may_be_larger_than_wanted)
{
	cr_assert_eq(time_slices_init(&s, 0, 65536ull * 1000, 10), 0);
	for (int i = 0; i < 50; i++)
		time_slices_count(&s, 30000000);
	time_slices_count(&s, 0);
	time_slices_count(&s, 65536ull * 1000);
	cr_expect(time_slices_next(&s, &until_ns));
	cr_expect(until_ns > 0 && until_ns <= 30000000);
	cr_expect(time_slices_next(&s, &until_ns));
	cr_expect(until_ns > 30000000);
	cr_expect(time_slices_next(&s, &until_ns));
	cr_expect_eq(until_ns, 0);
}

Test(time_slices, take_one_moment)
{
	cr_assert_eq(time_slices_init(&s, 7, 7, 2), 0);
	for (int i = 0; i < 5; i++)
		time_slices_count(&s, 7);
	cr_expect(time_slices_next(&s, &until_ns));
	while (until_ns)
		cr_assert(time_slices_next(&s, &until_ns));
}
