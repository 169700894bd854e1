// SPDX-License-Identifier: Apache-2.0
#include "reader/page/named_threads.h"

#include "tests/support/task_scene.h"

/* Two captures; sample i of items is the only one or the last one of thread i. */
static struct timed_sample items[] = {
	{.time_ns = 10}, {.time_ns = 0}, {.time_ns = 10}, {.time_ns = 20}, {.time_ns = 5},
};
static struct timed_thread threads[] = {
	{.capture = 0, .pid = 5, .tid = 5, .first = 0, .nr = 1},
	{.capture = 0, .pid = 5, .tid = 6, .first = 1, .nr = 3},
	{.capture = 1, .pid = 5, .tid = 5, .first = 4, .nr = 1},
};
static uint64_t starts_ns[] = {100, 1000};
static struct timed_samples samples = {
	.items = items,
	.nr = 5,
	.threads = threads,
	.nr_threads = 3,
	.starts_ns = starts_ns,
	.nr_captures = 2,
};
static struct named_threads named;

static void name(const struct tasks *first, const struct tasks *second)
{
	const struct overview captures[] = {{.tasks = first, .name = "one"},
					    {.tasks = second, .name = "two"}};

	cr_assert_eq(named_threads_init(&named, captures, &samples), 0);
	cr_assert_eq(named.nr, 3);
}

static void expect_thread(uint32_t i, const struct timed_thread *thread, const char *thread_name,
			  const char *process, const char *host)
{
	cr_expect_eq(named.items[i].samples, thread);
	cr_expect_str_eq(named.items[i].name, thread_name);
	cr_expect_str_eq(named.items[i].process, process);
	if (host)
		cr_expect_str_eq(named.items[i].host, host);
	else
		cr_expect_null(named.items[i].host);
}

Test(named_threads, have_the_last_name_of_their_own_capture_and_the_largest_is_first)
{
	struct tasks *first, *second;

	comm(5, 5, 0, "early");
	comm(5, 5, 105, "main");
	comm(5, 6, 0, "worker");
	first = applied();
	second = applied();
	name(first, second);
	expect_thread(0, &threads[1], "worker", "main", "one");
	expect_thread(1, &threads[0], "main", "main", "one");
	expect_thread(2, &threads[2], ":5", ":5", "two");
	named_threads_release(&named);
	named_threads_release(&named);
	tasks_free(first);
	tasks_free(second);
}

Test(named_threads, say_how_many_were_merged_and_those_are_last)
{
	const struct timed_thread before = threads[1];
	struct tasks *tasks = applied();

	threads[1] = (struct timed_thread){.capture = 1, .first = 1, .nr = 3, .nr_merged = 1234};
	name(tasks, tasks);
	expect_thread(0, &threads[0], ":5", ":5", "one");
	expect_thread(1, &threads[2], ":5", ":5", "two");
	expect_thread(2, &threads[1], "1234 other threads", "1234 other threads", "two");
	named_threads_release(&named);
	tasks_free(tasks);
	threads[1] = before;
}
