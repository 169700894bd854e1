// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_groups.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define PATHS 5u
#define MANY  (2 * TIMED_GROUPS_RUN + 10)

static struct timed_sample *items;
static struct timed_samples samples;
static struct timed_groups groups;

static void init(void)
{
	items = calloc(MANY, sizeof(*items));
	samples.items = items;
	cr_assert_not_null(items);
	cr_assert_eq(timed_groups_init(&groups, PATHS, NULL), 0);
}

static void fini(void)
{
	timed_groups_release(&groups);
	timed_groups_release(&groups);
	free(items);
}

TestSuite(timed_groups, .init = init, .fini = fini);

/* Adds a sample to items[]. */
static void add(uint64_t time_ns, uint32_t path)
{
	items[samples.nr++] = (struct timed_sample){.time_ns = time_ns, .path = path};
}

static void begin(uint64_t first, uint64_t nr)
{
	const struct timed_thread thread = {.first = first, .nr = nr};

	timed_groups_begin(&groups, &samples, &thread);
}

static void expect_group(uint32_t path, const uint64_t *times_ns, uint32_t nr)
{
	cr_assert(timed_groups_next(&groups));
	cr_assert_eq(groups.nr_items, nr);
	for (uint32_t i = 0; i < nr; i++) {
		cr_expect_eq(groups.items[i]->path, path);
		cr_expect_eq(groups.items[i]->time_ns, times_ns[i]);
	}
}

Test(timed_groups, has_the_samples_of_a_stack_in_the_order_of_time)
{
	add(10, 4);
	add(20, 1);
	add(30, 4);
	add(40, 0);
	begin(0, 4);
	expect_group(4, (uint64_t[]){10, 30}, 2);
	expect_group(1, (uint64_t[]){20}, 1);
	expect_group(0, (uint64_t[]){40}, 1);
	cr_expect_not(timed_groups_next(&groups));
	cr_expect_not(timed_groups_next(&groups));
}

Test(timed_groups, takes_one_thread_after_the_other)
{
	add(1, 2);
	add(2, 2);
	add(3, 2);
	begin(0, 1);
	expect_group(2, (uint64_t[]){1}, 1);
	cr_expect_not(timed_groups_next(&groups));
	begin(1, 2);
	expect_group(2, (uint64_t[]){2, 3}, 2);
	cr_expect_not(timed_groups_next(&groups));
}

Test(timed_groups, a_stack_of_many_samples_has_a_group_in_each_run)
{
	static uint8_t seen[MANY];
	uint32_t nr_groups = 0;
	uint64_t nr = 0;

	for (uint64_t i = 0; i < MANY; i++)
		add(i, (uint32_t)(i * 7 % 11 % PATHS));
	begin(0, MANY);
	for (; timed_groups_next(&groups); nr_groups++)
		for (uint32_t i = 0; i < groups.nr_items; i++, nr++) {
			cr_assert_eq(groups.items[i]->path, groups.items[0]->path);
			cr_assert(!i || groups.items[i - 1] < groups.items[i]);
			cr_assert_eq(seen[groups.items[i] - items]++, 0);
		}
	cr_expect_eq(nr, MANY);
	cr_expect_eq(nr_groups, 3 * PATHS);
}
