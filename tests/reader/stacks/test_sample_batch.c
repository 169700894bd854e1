// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/sample_batch.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define CAP	1024u
#define THREADS 7u
#define EVENTS	2u

static struct sample_batch batch;
static struct logged_sample sorted[CAP];

static void init(void)
{
	cr_assert_eq(sample_batch_init(&batch, NULL, CAP), 0);
}

static void fini(void)
{
	sample_batch_release(&batch);
	sample_batch_release(&batch);
}

TestSuite(sample_batch, .init = init, .fini = fini);

static void add(uint32_t tid, uint32_t event, uint64_t time_ns, uint64_t period)
{
	const struct logged_sample sample = {
		.time_ns = time_ns, .period = period, .pid = tid / 2, .tid = tid};

	sample_batch_add(&batch, &sample, event);
}

static void expect_group(uint32_t i, uint32_t tid, uint32_t event, uint32_t first, uint32_t nr)
{
	const struct sample_group *g = &batch.groups[i];

	cr_assert_lt(i, batch.nr_groups);
	cr_expect_eq(g->tid, tid);
	cr_expect_eq(g->event, event);
	cr_expect_eq(g->first, first);
	cr_expect_eq(g->nr, nr);
}

Test(sample_batch, groups_samples_and_sorts_them)
{
	add(7, 0, 10, 1);
	add(9, 0, 12, 2);
	add(7, 0, 20, 3);
	add(7, 1, 5, 4);
	add(7, 0, 15, 5);
	sample_batch_sort(&batch, sorted);
	cr_assert_eq(batch.nr_groups, 3);
	expect_group(0, 7, 0, 0, 3);
	expect_group(1, 9, 0, 3, 1);
	expect_group(2, 7, 1, 4, 1);
	cr_expect_eq(sorted[0].time_ns, 10);
	cr_expect_eq(sorted[1].time_ns, 15);
	cr_expect_eq(sorted[2].time_ns, 20);
	cr_expect_eq(sorted[3].period, 2);
	cr_expect_eq(sorted[4].period, 4);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t times[THREADS * EVENTS][CAP]; /* the model: by group, in the order of time */
static uint32_t nr_times[THREADS * EVENTS];

static void expect_model(void)
{
	uint32_t nr = 0;

	sample_batch_sort(&batch, sorted);
	for (uint32_t i = 0; i < batch.nr_groups; i++) {
		const struct sample_group *g = &batch.groups[i];
		const uint32_t of = g->tid * EVENTS + g->event;

		cr_assert_eq(g->first, nr);
		cr_assert_eq(g->nr, nr_times[of]);
		qsort(times[of], g->nr, sizeof(**times), compare);
		for (uint32_t k = 0; k < g->nr; k++, nr++) {
			cr_assert_eq(sorted[nr].tid, g->tid);
			cr_assert_eq(sorted[nr].time_ns, times[of][k]);
			cr_assert_eq(sorted[nr].period, ~sorted[nr].time_ns,
				     "a sample moves whole");
		}
	}
	cr_expect_eq(nr, batch.nr);
}

/* Times: equal ones, any, ascending, descending, and nearly in order. */
static uint64_t time_of(unsigned int kind, uint32_t i)
{
	switch (kind) {
	case 0:
		return 77;
	case 1:
		return (uint64_t)rand() << 33 | (uint64_t)rand();
	case 2:
		return i;
	case 3:
		return CAP - i;
	default:
		return 100 + i - (uint32_t)rand() % 20;
	}
}

Test(sample_batch, sorts_as_qsort_does)
{
	srand(1);
	for (unsigned int round = 0; round < 200; round++) {
		const uint32_t nr_threads = 1 + (uint32_t)rand() % THREADS;

		for (uint32_t i = 0; i < THREADS * EVENTS; i++)
			nr_times[i] = 0;
		for (uint32_t i = 0; !sample_batch_is_full(&batch); i++) {
			const uint32_t tid = (uint32_t)rand() % nr_threads;
			const uint32_t event = (uint32_t)rand() % EVENTS;
			const uint64_t time_ns = time_of(round % 5, i);

			add(tid, event, time_ns, ~time_ns);
			times[tid * EVENTS + event][nr_times[tid * EVENTS + event]++] = time_ns;
		}
		expect_model();
		sample_batch_clear(&batch);
	}
}

Test(sample_batch, has_room_for_as_many_threads_as_samples)
{
	for (uint32_t i = 0; i < CAP; i++)
		add(i, 0, 5, i);
	cr_expect(sample_batch_is_full(&batch));
	sample_batch_sort(&batch, sorted);
	cr_expect_eq(batch.nr_groups, CAP);
	for (uint32_t i = 0; i < CAP; i++)
		cr_assert_eq(sorted[i].period, i);
}
