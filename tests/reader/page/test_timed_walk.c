// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_walk.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define LANES 40u
#define EACH  50u

static struct timed_sample items[LANES * EACH];
static struct timed_thread threads[LANES];
static struct timed_samples samples = {.items = items, .threads = threads};
static struct timed_walk walk;

static void fini(void)
{
	timed_walk_release(&walk);
	timed_walk_release(&walk);
}

TestSuite(timed_walk, .fini = fini);

/* A thread with samples at these times. */
static void add_thread(uint32_t capture, const uint64_t *times_ns, uint64_t nr)
{
	threads[samples.nr_threads] =
		(struct timed_thread){.capture = capture, .first = samples.nr, .nr = nr};
	for (uint64_t i = 0; i < nr; i++)
		items[samples.nr++] =
			(struct timed_sample){.time_ns = times_ns[i], .thread = samples.nr_threads};
	samples.nr_threads++;
}

static void expect_next(uint64_t time_ns, uint32_t thread)
{
	const struct timed_sample *s = timed_walk_next(&walk);

	cr_assert_not_null(s);
	cr_expect_eq(s->time_ns, time_ns);
	cr_expect_eq(s->thread, thread);
}

Test(timed_walk, merges_threads_by_time)
{
	add_thread(0, (uint64_t[]){10, 20, 30}, 3);
	add_thread(0, (uint64_t[]){15}, 1);
	add_thread(0, (uint64_t[]){5, 25}, 2);
	cr_assert_eq(timed_walk_init(&walk, &samples, 0, NULL), 0);
	expect_next(5, 2);
	expect_next(10, 0);
	expect_next(15, 1);
	expect_next(20, 0);
	expect_next(25, 2);
	expect_next(30, 0);
	cr_expect_null(timed_walk_next(&walk));
	cr_expect_null(timed_walk_next(&walk));
}

Test(timed_walk, samples_of_one_time_are_in_the_order_of_threads)
{
	for (int i = 0; i < 3; i++)
		add_thread(0, (uint64_t[]){7, 7, 7}, 3);
	cr_assert_eq(timed_walk_init(&walk, &samples, 0, NULL), 0);
	for (uint32_t i = 0; i < 9; i++)
		expect_next(7, i / 3);
	cr_expect_null(timed_walk_next(&walk));
}

Test(timed_walk, takes_the_threads_of_one_capture)
{
	add_thread(0, (uint64_t[]){1}, 1);
	add_thread(1, (uint64_t[]){3}, 1);
	add_thread(1, (uint64_t[]){2}, 1);
	add_thread(4, (uint64_t[]){2}, 1);
	cr_assert_eq(timed_walk_init(&walk, &samples, 1, NULL), 0);
	expect_next(2, 2);
	expect_next(3, 1);
	cr_expect_null(timed_walk_next(&walk));
	timed_walk_release(&walk);
	cr_assert_eq(timed_walk_init(&walk, &samples, 3, NULL), 0);
	cr_expect_null(timed_walk_next(&walk));
}

Test(timed_walk, merged_threads_are_of_the_first_capture)
{
	add_thread(0, (uint64_t[]){5}, 1);
	add_thread(1, (uint64_t[]){3}, 1);
	add_thread(0, (uint64_t[]){2, 9}, 2);
	threads[2].nr_merged = 2;
	cr_assert_eq(timed_walk_init(&walk, &samples, 0, NULL), 0);
	expect_next(2, 2);
	expect_next(5, 0);
	expect_next(9, 2);
	cr_expect_null(timed_walk_next(&walk));
	timed_walk_release(&walk);
	cr_assert_eq(timed_walk_init(&walk, &samples, 1, NULL), 0);
	expect_next(3, 1);
	cr_expect_null(timed_walk_next(&walk));
}

Test(timed_walk, each_capture_has_its_merged_threads)
{
	add_thread(0, (uint64_t[]){5}, 1);
	add_thread(1, (uint64_t[]){3}, 1);
	add_thread(0, (uint64_t[]){2}, 1);
	add_thread(1, (uint64_t[]){1, 4}, 2);
	threads[2].nr_merged = threads[3].nr_merged = 2;
	cr_assert_eq(timed_walk_init(&walk, &samples, 0, NULL), 0);
	expect_next(2, 2);
	expect_next(5, 0);
	cr_expect_null(timed_walk_next(&walk));
	timed_walk_release(&walk);
	cr_assert_eq(timed_walk_init(&walk, &samples, 1, NULL), 0);
	expect_next(1, 3);
	expect_next(3, 1);
	expect_next(4, 3);
	cr_expect_null(timed_walk_next(&walk));
}

Test(timed_walk, ends_at_once_without_threads)
{
	cr_assert_eq(timed_walk_init(&walk, &samples, 0, NULL), 0);
	cr_expect_null(timed_walk_next(&walk));
}

Test(timed_walk, gives_each_sample_of_many_threads_once_and_in_order)
{
	uint64_t times_ns[EACH], before_ns = 0;
	uint32_t nr = 0, seen[LANES] = {0};
	const struct timed_sample *s;

	srand(1);
	for (uint32_t i = 0; i < LANES; i++) {
		const uint64_t length = i % 3 ? EACH : 1;

		for (uint64_t k = 0; k < length; k++)
			times_ns[k] = (k ? times_ns[k - 1] : 0) + (uint64_t)(rand() % 9);
		add_thread(0, times_ns, length);
	}
	cr_assert_eq(timed_walk_init(&walk, &samples, 0, NULL), 0);
	for (; (s = timed_walk_next(&walk)); nr++) {
		cr_assert_geq(s->time_ns, before_ns);
		cr_assert_eq(s, &items[threads[s->thread].first + seen[s->thread]++]);
		before_ns = s->time_ns;
	}
	cr_expect_eq(nr, samples.nr);
}
