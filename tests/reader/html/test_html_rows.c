// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_rows.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define MS 1000000ull

/* Paths 0 and 1 look the same in the page: both are its stack 0. */
static const uint32_t stack_of_path[] = {0, 0, 1, 2};
static struct timed_thread threads[2];
static struct timed_sample *samples;
static struct timed_samples timed;
static struct html_rows rows;

static void init(void)
{
	timed = (struct timed_samples){.threads = threads, .nr_threads = 2};
}

static void fini(void)
{
	html_rows_release(&rows);
	html_rows_release(&rows);
	free(samples);
}

TestSuite(html_rows, .init = init, .fini = fini);

/* The samples of the first thread, then those of the second one. */
static void take(const struct timed_sample *items, uint64_t nr)
{
	samples = malloc(nr * sizeof(*samples));
	timed.items = samples;
	timed.nr = nr;
	for (uint64_t i = 0; i < nr; i++) {
		samples[i] = items[i];
		threads[items[i].thread].nr++;
		if (items[i].time_ns > timed.length_ns)
			timed.length_ns = items[i].time_ns;
	}
}

static int make(uint64_t most, uint64_t step_ns, bool has_times)
{
	const struct html_rows_plan plan = {.samples = &timed,
					    .stack_of_path = stack_of_path,
					    .has_times = has_times,
					    .most = most,
					    .step_ns = step_ns};

	return html_rows_init(&rows, &plan);
}

static const struct timed_sample some[] = {
	{.time_ns = 3 * MS + 100, .period = 5, .path = 0, .cpu = 1},
	{.time_ns = 4 * MS, .period = 6, .path = 2, .cpu = 1},
	{.time_ns = 5 * MS - 1, .period = 7, .path = 1, .cpu = 1},
	{.time_ns = 5 * MS, .period = 8, .path = 0, .cpu = 1},
	{.time_ns = 9 * MS, .period = 9, .path = 0, .cpu = 2},
	{.time_ns = 9 * MS, .period = 10, .path = 0, .cpu = 2, .event = 3},
	{.time_ns = 9 * MS, .period = 11, .path = 0, .cpu = 2, .event = 3, .thread = 1},
};

#define NR_SOME (sizeof(some) / sizeof(*some))

static void expect_row(uint64_t row, uint64_t time, uint64_t count, uint64_t period, uint32_t stack)
{
	cr_assert_lt(row, rows.nr);
	cr_expect_eq(html_rows_time(&rows, row), time, "row %lu", row);
	cr_expect_eq(rows.counts[row], count, "row %lu", row);
	cr_expect_eq(rows.items[row].period, period, "row %lu", row);
	cr_expect_eq(stack_of_path[rows.items[row].path], stack, "row %lu", row);
}

Test(html_rows, are_samples_in_microseconds)
{
	take(some, NR_SOME);
	cr_assert_eq(make(NR_SOME, 0, true), 0);
	cr_expect_eq(rows.nr, NR_SOME);
	cr_expect_eq(rows.step_ns, 0);
	cr_expect_eq(rows.unit_ns, 1000);
	cr_expect_null(rows.counts);
	cr_expect_eq(html_rows_time(&rows, 0), 3000);
	cr_expect_eq(html_rows_time(&rows, 2), 4999);
	cr_expect_eq(rows.of_thread[0], 6);
	cr_expect_eq(rows.of_thread[1], 1);
}

Test(html_rows, count_samples_of_a_step)
{
	take(some, NR_SOME);
	cr_assert_eq(make(NR_SOME, 2 * MS, true), 0);
	cr_expect_eq(rows.step_ns, 2 * MS);
	cr_expect_eq(rows.unit_ns, 2 * MS);
	cr_expect_eq(rows.nr, 6);
	expect_row(0, 1, 1, 5, 0);
	expect_row(1, 2, 1, 6, 1);
	expect_row(2, 2, 2, 15, 0); /* of two paths of one stack */
	expect_row(3, 4, 1, 9, 0);
	expect_row(4, 4, 1, 10, 0); /* of another event */
	expect_row(5, 4, 1, 11, 0); /* of another thread */
	cr_expect_eq(rows.of_thread[0], 5);
	cr_expect_eq(rows.of_thread[1], 1);
}

Test(html_rows, have_the_shortest_step_that_fits)
{
	take(some, NR_SOME);
	cr_assert_eq(make(5, 0, true), 0);
	/* 1 ms: 7 rows, 2 ms: 6, 5 ms: {0, 2}, {1}, {3} and 3 of 9 ms */
	cr_expect_eq(rows.step_ns, 10 * MS);
	cr_expect_eq(rows.nr, 5);
	expect_row(0, 0, 3, 20, 0);
}

Test(html_rows, have_the_longest_step_although_they_do_not_fit)
{
	take(some, NR_SOME);
	cr_assert_eq(make(2, 0, true), 0);
	cr_expect_gt(rows.step_ns, 9 * MS);
	cr_expect_eq(rows.nr, 5);
	cr_expect_eq(rows.of_thread[0] + rows.of_thread[1], 5);
}

Test(html_rows, without_times_are_of_one_step)
{
	take(some, NR_SOME);
	cr_assert_eq(make(6, 0, false), 0);
	cr_expect_eq(rows.nr, 5);
	for (uint64_t i = 0; i < rows.nr; i++)
		cr_expect_eq(html_rows_time(&rows, i), 0);
}

Test(html_rows, of_nothing_are_none)
{
	take(some, 0);
	cr_assert_eq(make(1, 0, true), 0);
	cr_expect_eq(rows.nr, 0);
	html_rows_release(&rows);
	cr_assert_eq(make(1, MS, true), 0);
	cr_expect_eq(rows.nr, 0);
}

Test(html_rows, sum_no_further_than_numbers_go)
{
	const struct timed_sample two[] = {{.period = UINT64_MAX - 1}, {.period = 7}};

	take(two, 2);
	cr_assert_eq(make(1, 0, true), 0);
	expect_row(0, 0, 2, UINT64_MAX, 0);
}

/* Many stacks in a step: the table of its rows grows. Nothing is lost, for any number of rows. */
Test(html_rows, keep_all_samples)
{
	enum { NR = 60000, STACKS = 5000 };
	static uint32_t own[STACKS];
	uint64_t period = 0, counted = 0, summed = 0;

	timed.items = samples = calloc(NR, sizeof(*samples));
	timed.nr = NR;
	for (uint32_t i = 0; i < STACKS; i++)
		own[i] = i;
	for (uint64_t i = 0; i < NR; i++) {
		samples[i] = (struct timed_sample){.time_ns = i * 1000,
						   .path = (uint32_t)(i * 7919 % STACKS),
						   .period = i,
						   .thread = i >= NR / 3};
		timed.length_ns = samples[i].time_ns;
		period += i;
	}
	const struct html_rows_plan plan = {
		.samples = &timed, .stack_of_path = own, .has_times = true, .most = NR / 3};

	cr_assert_eq(html_rows_init(&rows, &plan), 0);
	cr_expect_leq(rows.nr, NR / 3);
	cr_expect_eq(rows.of_thread[0] + rows.of_thread[1], rows.nr);
	for (uint64_t i = 0; i < rows.nr; i++) {
		counted += rows.counts[i];
		summed += rows.items[i].period;
		if (i && rows.items[i].thread == rows.items[i - 1].thread)
			cr_assert_geq(html_rows_time(&rows, i), html_rows_time(&rows, i - 1));
	}
	cr_expect_eq(counted, NR);
	cr_expect_eq(summed, period);
}

Test(html_rows, have_steps_of_1_2_and_5)
{
	static const uint64_t wanted[] = {MS, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 50 * MS, 100 * MS};
	uint64_t step_ns = 0;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		step_ns = html_rows_longer(step_ns);
		cr_expect_eq(step_ns, wanted[i]);
	}
	for (int i = 0; i < 100; i++)
		step_ns = html_rows_longer(step_ns);
	cr_expect_eq(step_ns, UINT64_MAX);
}
