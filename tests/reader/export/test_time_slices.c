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

static void init(uint64_t first_ns, uint64_t last_ns, uint64_t most, uint32_t nr_threads)
{
	const struct time_slices_plan plan = {first_ns, last_ns, most, nr_threads};

	cr_assert_eq(time_slices_init(&s, &plan, NULL), 0);
}

TestSuite(time_slices, .fini = fini);

Test(time_slices, have_about_as_many_samples_each)
{
	uint64_t from_ns = 1000;
	int nr = 0;

	init(1000, 1999, 100, 4);
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
	init(5, UINT64_MAX, 100, 4);
	time_slices_count(&s, 5);
	time_slices_count(&s, UINT64_MAX);
	cr_expect(time_slices_next(&s, &until_ns));
	cr_expect_eq(until_ns, 0);
	cr_expect_not(time_slices_next(&s, &until_ns));
}

/* More samples at one time than a slice should have: they stay together, and others do not join them. */
Test(time_slices, may_be_larger_than_wanted)
{
	init(0, 65536ull * 1000, 10, 4);
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
	init(7, 7, 2, 4);
	for (int i = 0; i < 5; i++)
		time_slices_count(&s, 7);
	cr_expect(time_slices_next(&s, &until_ns));
	while (until_ns)
		cr_assert(time_slices_next(&s, &until_ns));
}

static void expect_here(uint32_t nr, const uint32_t *threads)
{
	cr_assert_eq(s.nr_here, nr, "%u", s.nr_here);
	for (uint32_t i = 0; i < nr; i++)
		cr_expect_eq(s.here[i], threads[i], "%u: %u", i, s.here[i]);
}

/* Thread 2 has a sample in each slice, 0 and 3 in the first one, 1 in the last one. */
Test(time_slices, know_the_threads_that_wait_for_them)
{
	init(0, 65536 * 3 - 1, 2, 4);
	for (uint64_t i = 0; i < 3; i++) {
		time_slices_count(&s, i * 65536);
		time_slices_count(&s, i * 65536 + 30);
	}
	time_slices_wait(&s, 3, 7);
	time_slices_wait(&s, 0, 30);
	time_slices_wait(&s, 2, 0);
	time_slices_wait(&s, 1, 2 * 65536 + 30);
	cr_assert(time_slices_next(&s, &until_ns));
	expect_here(3, (uint32_t[]){0, 2, 3});
	time_slices_wait(&s, 2, 65536);
	cr_assert(time_slices_next(&s, &until_ns));
	expect_here(1, (uint32_t[]){2});
	time_slices_wait(&s, 2, 2 * 65536);
	cr_assert(time_slices_next(&s, &until_ns));
	expect_here(2, (uint32_t[]){1, 2});
	cr_expect_eq(until_ns, 0);
}

/* Times of a hostile capture may go back. */
Test(time_slices, a_thread_that_waits_for_an_earlier_slice_is_in_the_next_one)
{
	init(0, 65536 * 2 - 1, 1, 1);
	time_slices_count(&s, 0);
	time_slices_count(&s, 65536);
	time_slices_wait(&s, 0, 0);
	cr_assert(time_slices_next(&s, &until_ns));
	time_slices_wait(&s, 0, 3);
	cr_assert(time_slices_next(&s, &until_ns));
	expect_here(1, (uint32_t[]){0});
}
