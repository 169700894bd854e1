// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define PATHS 4
#define CPUS  700 /* as the tests number them: thread modulo this */
#define MANY  40000
#define LARGE 300000

/* Stack n of the only part has path n; the last stack is of another event. */
static uint32_t of_stack[PATHS + 1] = {0, 1, 2, 3, STACK_PATHS_NONE};
static uint64_t first_of_part[1];
static const struct stack_paths paths = {.of_stack = of_stack, .first_of_part = first_of_part};

#define EVENT_OF(stack) (7 * (stack)) /* in this scene */

static struct sample_log logs[2];
static struct stack stacks[PATHS + 1];
static struct stacks part = {.items = stacks, .nr = PATHS + 1};
static struct aggregate aggregate = {.parts = &part, .nr_parts = 1, .logs = logs, .nr_logs = 2};
static struct timed_samples timed;
static unsigned int nr_workers = 3;

static void init(void)
{
	sample_log_init(&logs[0], NULL, 0);
	sample_log_init(&logs[1], NULL, 0);
	for (uint32_t i = 0; i <= PATHS; i++)
		stacks[i].key.event = EVENT_OF(i);
}

static void fini(void)
{
	sample_log_release(&logs[0]);
	sample_log_release(&logs[1]);
	timed_samples_release(&timed);
	timed_samples_release(&timed);
}

TestSuite(timed_samples, .init = init, .fini = fini);

static void add(int log, uint32_t pid, uint32_t tid, uint64_t time_ns, uint32_t stack)
{
	const struct ts_sample sample = {.sid = {.time_ns = time_ns,
						 .pid = pid,
						 .tid = tid,
						 .cpu = tid % CPUS,
						 .event = stack},
					 .period = 1 + stack};

	cr_assert_eq(sample_log_add(&logs[log], &sample, stack), 0);
}

static void make(uint32_t most_threads)
{
	cr_assert_eq(sample_log_finish(&logs[0]), 0);
	cr_assert_eq(sample_log_finish(&logs[1]), 0);
	cr_assert_eq(timed_samples_init(&timed, &aggregate, &paths, most_threads, nr_workers), 0);
}

static void expect_thread(uint32_t i, uint32_t capture, uint32_t pid, uint32_t tid, uint64_t nr,
			  uint64_t period)
{
	const struct timed_thread *t = &timed.threads[i];

	cr_assert_lt(i, timed.nr_threads);
	cr_expect_eq(t->capture, capture);
	cr_expect_eq(t->pid, pid);
	cr_expect_eq(t->tid, tid);
	cr_expect_eq(t->nr, nr);
	cr_expect_eq(t->period, period);
	for (uint64_t k = t->first; k < t->first + t->nr; k++) {
		const struct timed_sample *s = &timed.items[k];

		cr_assert_eq(s->thread, i);
		cr_assert_eq(s->period, 1 + s->path);
		cr_assert_eq(s->event, EVENT_OF(s->path));
		if (!t->nr_merged)
			cr_assert_eq(s->cpu, t->tid % CPUS);
		if (k > t->first)
			cr_assert(s[-1].time_ns < s->time_ns ||
				  (s[-1].time_ns == s->time_ns && s[-1].path <= s->path));
	}
}

Test(timed_samples, are_those_of_a_thread_in_the_order_of_time)
{
	add(0, 7, 9, 30, 2);
	add(0, 7, 7, 50, 3);
	add(1, 7, 7, 20, 1);
	add(1, 7, 7, 50, 0);
	add(1, 3, 4, 5, PATHS);
	make(UINT32_MAX);
	cr_expect_eq(timed.nr, 4);
	cr_expect_eq(timed.starts_ns[0], 20);
	cr_expect_eq(timed.length_ns, 30);
	cr_expect_eq(timed.items[0].time_ns, 0);
	cr_expect_eq(timed.nr_threads, 2, "a thread of another event is none");
	expect_thread(0, 0, 7, 7, 3, 7);
	expect_thread(1, 0, 7, 9, 1, 3);
	cr_expect_eq(timed.items[0].path, 1);
	cr_expect_eq(timed.items[1].path, 0, "of one time the lower path comes first");
	cr_expect_eq(timed.items[2].path, 3);
}

Test(timed_samples, tell_captures_apart)
{
	logs[1].capture = 2; /* the one between has no samples */
	aggregate.nr_joined = 2;
	add(0, 7, 7, 50, 3);
	add(0, 7, 7, 57, 3);
	add(1, 7, 7, 20, 1);
	make(UINT32_MAX);
	expect_thread(0, 0, 7, 7, 2, 8);
	expect_thread(1, 2, 7, 7, 1, 2);
	cr_expect_eq(timed.nr_captures, 3);
	cr_expect_eq(timed.starts_ns[1], UINT64_MAX);
	cr_expect_eq(timed.items[2].time_ns, 0, "a capture begins with its first sample");
	cr_expect_eq(timed.length_ns, 7);
}

/* Many threads and times, and many samples of one time. */
Test(timed_samples, sort_all_that_a_hostile_capture_may_hold)
{
	uint64_t period = 0, nr = 0;

	srand(1);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint64_t far = (uint64_t)rand() << 33 | (uint64_t)rand();

		add(0, 1, 1, 77, (uint32_t)rand() % PATHS);
		add(1, 1, 2, i % 2 ? far : UINT64_MAX - i, (uint32_t)rand() % PATHS);
		add(1, 2, 5 + (uint32_t)rand() % 5000, far, (uint32_t)rand() % PATHS);
	}
	make(UINT32_MAX);
	cr_expect_eq(timed.nr, 3 * MANY);
	cr_expect_gt(timed.nr_threads, 4000);
	for (uint32_t i = 0; i < timed.nr_threads; i++) {
		const struct timed_thread *t = &timed.threads[i];

		expect_thread(i, 0, t->pid, t->tid, t->nr, t->period);
		cr_assert_eq(t->first, nr);
		nr += t->nr;
		period += t->period;
	}
	cr_expect_eq(nr, timed.nr);
	for (uint64_t i = 0; i < timed.nr; i++)
		period -= timed.items[i].period;
	cr_expect_eq(period, 0);
}

static int compare(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->path > y->path) - (x->path < y->path);
}

/* Workers share a thread with so many samples. Half of its times are near to each other, many are equal. */
Test(timed_samples, are_as_qsort_has_them_for_any_number_of_workers)
{
	static struct timed_sample model[LARGE];

	srand(2);
	for (uint32_t i = 0; i < LARGE; i++) {
		const uint32_t stack = (uint32_t)rand() % PATHS;
		const uint64_t near = 1000 + i / 2 - (uint32_t)rand() % 100;
		const uint64_t time_ns = i % 2 ? near : 1000 + (uint64_t)rand() % LARGE;

		add(rand() % 2, 1, 1, i ? time_ns : 0, stack);
		model[i] = (struct timed_sample){.time_ns = i ? time_ns : 0, .path = stack};
	}
	qsort(model, LARGE, sizeof(*model), compare);
	for (nr_workers = 1; nr_workers < 6; nr_workers++) {
		make(UINT32_MAX);
		cr_assert_eq(timed.nr, LARGE);
		for (uint32_t i = 0; i < LARGE; i++)
			cr_assert_eq(compare(&timed.items[i], &model[i]), 0);
		expect_thread(0, 0, 1, 1, LARGE, timed.threads[0].period);
		cr_expect_eq(timed.length_ns, model[LARGE - 1].time_ns);
		timed_samples_release(&timed);
	}
}

Test(timed_samples, merge_the_smallest_threads)
{
	for (uint32_t i = 0; i < 10; i++) {
		add(0, 1, 1 + i, 50 + i, 1);
		add(0, 1, 1 + i, 20 - i, i % PATHS);
	}
	add(1, 1, 4, 7, 2);
	add(1, 1, 9, 8, 2);
	make(3);
	cr_expect_eq(timed.nr, 22);
	cr_expect_eq(timed.nr_threads, 3);
	expect_thread(0, 0, 1, 4, 3, 2 + 4 + 3);
	expect_thread(1, 0, 1, 9, 3, 2 + 1 + 3);
	expect_thread(2, 0, 0, 0, 16, 8 * 2 + 1 + 2 + 3 + 1 + 2 + 3 + 4 + 2);
	cr_expect_eq(timed.threads[2].nr_merged, 8);
	cr_expect_eq(timed.threads[1].nr_merged, 0);
}

/* Of three captures, the one between has no thread that is merged. */
Test(timed_samples, merge_threads_of_each_capture)
{
	logs[0].capture = 1;
	logs[1].capture = 2;
	aggregate.nr_joined = 2;
	for (uint32_t i = 0; i < 3; i++)
		add(0, 1, 1, 50 + i, 1);
	for (uint32_t i = 0; i < 4; i++) {
		add(1, 1, 1 + i, 70 + i, 2);
		add(1, 1, 1 + i, 80 + i, 2);
	}
	add(0, 5, 5, 51, 3);
	add(0, 5, 6, 60, 3);
	make(3);
	cr_expect_eq(timed.nr, 13);
	cr_expect_eq(timed.nr_threads, 4);
	expect_thread(0, 1, 1, 1, 3, 3 * 2);
	expect_thread(1, 2, 1, 1, 2, 2 * 3);
	expect_thread(2, 1, 0, 0, 2, 2 * 4);
	expect_thread(3, 2, 0, 0, 6, 6 * 3);
	cr_expect_eq(timed.threads[1].nr_merged, 0);
	cr_expect_eq(timed.threads[2].nr_merged, 2);
	cr_expect_eq(timed.threads[3].nr_merged, 3);
	cr_expect_eq(timed.items[timed.threads[3].first].time_ns, 1);
}

Test(timed_samples, have_their_cpus)
{
	struct ts_sample sample = {.sid = {.time_ns = 5, .pid = 7, .tid = 7}, .period = 1};

	for (uint32_t i = 0; i < MANY; i++) {
		sample.sid.cpu = i * 7 % MANY;
		cr_assert_eq(sample_log_add(&logs[0], &sample, 0), 0);
	}
	sample.sid.cpu = 1u << 20;
	cr_assert_eq(sample_log_add(&logs[1], &sample, 0), 0);
	make(UINT32_MAX);
	cr_assert_eq(timed.nr, MANY + 1);
	for (uint32_t i = 0; i < MANY; i++)
		cr_assert_eq(timed.items[i].cpu, i, "equal samples are in the order of their CPUs");
	cr_expect_eq(timed.items[MANY].cpu, SAMPLE_LOG_NO_CPU);
}

Test(timed_samples, may_be_none)
{
	make(UINT32_MAX);
	cr_expect_eq(timed.nr, 0);
	cr_expect_eq(timed.nr_threads, 0);
}
