// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_threads.h"

#include <errno.h>
#include <stdlib.h>

static int compare_threads(const void *a, const void *b)
{
	const struct timed_thread *x = a, *y = b;

	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* --- all threads --- */

struct finding { /* of the threads */
	struct memory *memory;
	struct timed_thread *items;
	size_t nr, cap;
};

static void join_threads(struct finding *f)
{
	size_t nr = 0;

	if (!f->nr) /* qsort() takes no NULL */
		return;
	qsort(f->items, f->nr, sizeof(*f->items), compare_threads);
	for (size_t i = 0; i < f->nr; i++)
		if (!nr || compare_threads(&f->items[nr - 1], &f->items[i]))
			f->items[nr++] = f->items[i];
	f->nr = nr;
}

/* A full list becomes a list of different threads. If that is at least half full, it grows. */
static int make_room(struct finding *f)
{
	const size_t cap = f->cap ? 2 * f->cap : 1024;
	struct timed_thread *grown;

	join_threads(f);
	if (f->nr < f->cap / 2)
		return 0;
	grown = memory_resize(f->memory, f->items, cap, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->items = grown;
	f->cap = cap;
	return 0;
}

static int find_in_run(struct finding *f, uint32_t capture, const struct logged_sample *s)
{
	const struct timed_thread one = {.capture = capture, .pid = s->pid, .tid = s->tid};

	if (f->nr && !compare_threads(&f->items[f->nr - 1], &one))
		return 0;
	if (f->nr == f->cap && make_room(f))
		return -ENOMEM;
	f->items[f->nr++] = one;
	return 0;
}

static int find_in_log(struct finding *f, const struct sample_log *log,
		       const struct stack_paths *paths)
{
	for (size_t i = 0; i < log->nr_runs; i++)
		if (timed_threads_path(paths, log, log->runs[i].items) != STACK_PATHS_NONE &&
		    find_in_run(f, log->capture, log->runs[i].items))
			return -ENOMEM;
	return 0;
}

static int find_threads(struct timed_samples *t, const struct aggregate *a,
			const struct stack_paths *paths)
{
	struct finding found = {.memory = a->memory};
	int rc = make_room(&found);

	for (unsigned int k = 0; !rc && k < a->nr_logs; k++)
		rc = find_in_log(&found, &a->logs[k], paths);
	if (rc) {
		memory_free(found.items);
		return rc;
	}
	join_threads(&found);
	t->threads = found.items;
	t->nr_threads = (uint32_t)found.nr;
	return 0;
}

/* --- a thread --- */

static struct timed_thread *find_between(const struct timed_samples *t, uint32_t first,
					 uint32_t end, const struct timed_thread *wanted)
{
	return bsearch(wanted, t->threads + first, end - first, sizeof(*wanted), compare_threads);
}

/* One that is not among those alone is in the merged one of its capture. */
struct timed_thread *timed_threads_find(const struct timed_samples *t, uint32_t nr_alone,
					uint32_t capture, const struct logged_sample *s)
{
	const struct timed_thread wanted = {.capture = capture, .pid = s->pid, .tid = s->tid};
	const struct timed_thread merged = {.capture = capture};
	struct timed_thread *found = find_between(t, 0, nr_alone, &wanted);

	return found ? found : find_between(t, nr_alone, t->nr_threads, &merged);
}

/* --- those that remain --- */

static void count_samples(struct timed_samples *t, const struct aggregate *a,
			  const struct stack_paths *paths)
{
	for (unsigned int k = 0; k < a->nr_logs; k++) {
		const struct sample_log *log = &a->logs[k];

		for (size_t i = 0; i < log->nr_runs; i++) {
			const struct sample_log_run *run = &log->runs[i];

			if (timed_threads_path(paths, log, run->items) != STACK_PATHS_NONE)
				timed_threads_find(t, t->nr_threads, log->capture, run->items)
					->nr += run->nr;
		}
	}
}

/* More samples first; of as many, the lower thread. */
static int compare_sizes(const void *a, const void *b)
{
	const struct timed_thread *x = a, *y = b;

	return x->nr != y->nr ? (x->nr > y->nr ? -1 : 1) : compare_threads(a, b);
}

/* Threads in the order of their captures become one for each capture. Returns how many they are then. */
static uint32_t join_captures(struct timed_thread *threads, uint32_t nr)
{
	uint32_t nr_merged = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct timed_thread one = threads[i];
		struct timed_thread *merged = &threads[nr_merged];

		if (nr_merged && merged[-1].capture == one.capture)
			merged--;
		else
			threads[nr_merged++] = (struct timed_thread){.capture = one.capture};
		merged->nr += one.nr;
		merged->nr_merged++;
	}
	return nr_merged;
}

/* Merges the smallest threads. Returns the number of those that are still alone. */
static uint32_t merge_threads(struct timed_samples *t, uint32_t most)
{
	const uint32_t nr_alone = most - 1;

	if (t->nr_threads <= most)
		return t->nr_threads;
	qsort(t->threads, t->nr_threads, sizeof(*t->threads), compare_sizes);
	qsort(t->threads, nr_alone, sizeof(*t->threads), compare_threads);
	qsort(t->threads + nr_alone, t->nr_threads - nr_alone, sizeof(*t->threads),
	      compare_threads);
	t->nr_threads = nr_alone + join_captures(t->threads + nr_alone, t->nr_threads - nr_alone);
	return nr_alone;
}

int timed_threads_list(struct timed_samples *t, const struct aggregate *a,
		       const struct stack_paths *paths, uint32_t most_threads,
		       uint32_t *ret_nr_alone)
{
	const int rc = find_threads(t, a, paths);

	if (rc)
		return rc;
	count_samples(t, a, paths);
	*ret_nr_alone = merge_threads(t, most_threads);
	return 0;
}
