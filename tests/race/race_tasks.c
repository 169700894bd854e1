// SPDX-License-Identifier: Apache-2.0
/*
 * Several threads look up in one frozen table at the same time, and each gets what one thread alone
 * gets. Under ThreadSanitizer this shows that lookups write nothing.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "reader/tasks/tasks.h"
#include "tests/support/task_records.h"

#define NR_THREADS 4
#define NR_PIDS	   50
#define NR_MAPS	   60

static void apply(struct tasks *tasks, struct ts_bytes *b, uint64_t time_ns)
{
	struct ts_sample_id sid = {.time_ns = time_ns};

	tasks_apply(tasks, (const void *)b->data, &sid);
	ts_bytes_clear(b);
}

static struct tasks *some_tasks(void)
{
	struct tasks *tasks = tasks_new(NULL);
	struct ts_bytes b = {0};
	struct ts_error err;

	for (uint32_t pid = 1; tasks && pid <= NR_PIDS; pid++) {
		struct record_at at = {.pid = pid, .tid = pid, .time_ns = pid};

		put_fork(&b, &at, 0, pid / 2, pid / 2);
		apply(tasks, &b, at.time_ns);
		put_comm(&b, &at, 0, pid % 2 ? "odd" : "even");
		apply(tasks, &b, at.time_ns);
		for (uint64_t i = 0; i < NR_MAPS; i++) {
			struct record_range range = {i * 0x1000 * pid, 0x3000, 0};

			put_mmap2(&b, &at, PERF_RECORD_MISC_USER, &range, PROT_EXEC, "/m");
			apply(tasks, &b, at.time_ns);
		}
	}
	ts_bytes_release(&b);
	return tasks && !tasks_freeze(tasks, &err) ? tasks : NULL;
}

/* A number that depends on all answers. */
static void *look_up(void *arg)
{
	const struct tasks *tasks = arg;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 20000; i++) {
		uint32_t pid = (uint32_t)(i % (NR_PIDS + 5));
		uint64_t time_ns = i * 7 % (NR_PIDS + 5);
		const struct task_map *map = tasks_map(tasks, pid, i * 0x777 % 0x400000, time_ns);
		const char *comm = tasks_comm(tasks, pid, time_ns);
		struct task_moment m;

		tasks_moment(tasks, pid, pid, time_ns, &m);
		sum = sum * 31 + (map ? map->start + map->time_ns : 1);
		sum = sum * 31 + (comm ? strlen(comm) : 1) + m.space;
	}
	return (void *)(uintptr_t)sum;
}

int main(void)
{
	struct tasks *tasks = some_tasks();
	pthread_t threads[NR_THREADS];
	void *alone, *got;
	int differ = 0;

	if (!tasks)
		return 1;
	alone = look_up(tasks);
	for (int i = 0; i < NR_THREADS; i++) {
		if (pthread_create(&threads[i], NULL, look_up, tasks))
			return 1;
	}
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &got);
		differ += got != alone;
	}
	tasks_free(tasks);
	printf("%d of %d threads got other answers than one alone\n", differ, NR_THREADS);
	return differ ? 1 : 0;
}
