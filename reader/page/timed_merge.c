// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_merge.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "common/base/sum.h"
#include "reader/page/timed_threads.h"
#include "reader/page/timed_ties.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"

#define SLICE_SAMPLES	  (64u << 10) /* of a thread that several workers share */
#define SLICES_PER_WORKER 8	      /* so that all end at about the same time */
#define STEP_SAMPLES	  (64u << 10) /* between two looks at the memory */

struct timed_run {
	const struct logged_sample *next, *end; /* at least one */
	const struct sample_log *log;
	uint32_t event; /* its number in the aggregate */
};

struct merge_task {
	uint32_t thread;
	bool is_last;		    /* no slice follows */
	uint64_t from_ns, until_ns; /* on the clock of the capture; without the latter */
	uint64_t period, length_ns; /* result: the sum, and the highest time */
};

struct merge_worker {
	struct timed_run *heap; /* owned; the lowest next time first */
	size_t nr, cap;
	int rc;
};

struct merging {
	/* constant while workers run, except for items and tasks, each of which one worker has */
	struct timed_samples *samples;
	const struct aggregate *aggregate;
	const struct stack_paths *paths;
	uint32_t nr_alone;
	unsigned int nr_workers;
	struct timed_run *runs;	  /* owned; by thread */
	uint64_t *ends;		  /* owned; by thread: where its runs end */
	struct merge_task *tasks; /* owned */
	size_t nr_tasks;
	struct merge_worker *workers; /* owned */

	atomic_size_t next_task; /* relaxed: only hands out numbers */
};

static void release_merging(struct merging *m)
{
	for (unsigned int i = 0; m->workers && i < m->nr_workers; i++)
		memory_free(m->workers[i].heap);
	free(m->workers);
	memory_free(m->runs);
	memory_free(m->ends);
	memory_free(m->tasks);
}

/* --- runs of each thread --- */

static uint32_t thread_of(const struct merging *m, const struct sample_log *log,
			  const struct logged_sample *s)
{
	return (uint32_t)(timed_threads_find(m->samples, m->nr_alone, log->capture, s) -
			  m->samples->threads);
}

/* Calls take() for all runs that have paths. */
static void walk_runs(struct merging *m,
		      void (*take)(struct merging *m, const struct sample_log *log,
				   const struct sample_log_run *run))
{
	for (unsigned int k = 0; k < m->aggregate->nr_logs; k++) {
		const struct sample_log *log = &m->aggregate->logs[k];

		for (size_t i = 0; i < log->nr_runs; i++)
			if (timed_threads_path(m->paths, log, log->runs[i].items) !=
			    STACK_PATHS_NONE)
				take(m, log, &log->runs[i]);
	}
}

static void count_run(struct merging *m, const struct sample_log *log,
		      const struct sample_log_run *run)
{
	m->ends[thread_of(m, log, run->items)]++;
}

static void put_run(struct merging *m, const struct sample_log *log,
		    const struct sample_log_run *run)
{
	const struct stack_place place = sample_log_place(log, run->items);

	m->runs[m->ends[thread_of(m, log, run->items)]++] = (struct timed_run){
		.next = run->items,
		.end = run->items + run->nr,
		.log = log,
		.event = m->aggregate->parts[place.part].items[place.stack].key.event,
	};
}

static int list_runs(struct merging *m)
{
	struct memory *memory = m->aggregate->memory;
	const uint32_t nr_threads = m->samples->nr_threads;
	uint64_t nr = 0;

	m->ends = memory_new(memory, (size_t)nr_threads + 1, sizeof(*m->ends));
	if (!m->ends)
		return -ENOMEM;
	walk_runs(m, count_run);
	for (uint32_t i = 0; i < nr_threads; i++) {
		const uint64_t of_thread = m->ends[i];

		m->ends[i] = nr; /* put_run() moves it to the end */
		nr += of_thread;
	}
	m->runs = memory_new(memory, nr + 1, sizeof(*m->runs));
	if (!m->runs)
		return -ENOMEM;
	walk_runs(m, put_run);
	return 0;
}

static const struct timed_run *first_run(const struct merging *m, uint32_t thread)
{
	return m->runs + (thread ? m->ends[thread - 1] : 0);
}

static const struct timed_run *end_of_runs(const struct merging *m, uint32_t thread)
{
	return m->runs + m->ends[thread];
}

/* --- tasks --- */

static uint32_t nr_slices(const struct merging *m, uint32_t thread)
{
	const uint64_t nr = m->samples->threads[thread].nr / SLICE_SAMPLES + 1;

	return m->nr_workers == 1
		       ? 1
		       : (uint32_t)ts_min(nr, (uint64_t)SLICES_PER_WORKER * m->nr_workers);
}

/* Slices of the same length in time. */
static void add_tasks(struct merging *m, uint32_t thread)
{
	const uint32_t nr = nr_slices(m, thread);
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (const struct timed_run *r = first_run(m, thread); r < end_of_runs(m, thread); r++) {
		first_ns = ts_min(first_ns, r->next->time_ns);
		last_ns = ts_max(last_ns, r->end[-1].time_ns);
	}
	for (uint32_t i = 0; i < nr; i++) {
		const uint64_t step_ns = (last_ns - first_ns) / nr;

		m->tasks[m->nr_tasks++] = (struct merge_task){
			.thread = thread,
			.is_last = i + 1 == nr,
			.from_ns = i ? first_ns + i * step_ns : 0,
			.until_ns = first_ns + (i + 1) * step_ns,
		};
	}
}

static int list_tasks(struct merging *m)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < m->samples->nr_threads; i++)
		nr += nr_slices(m, i);
	m->tasks = memory_new(m->aggregate->memory, nr + 1, sizeof(*m->tasks));
	m->workers = calloc(m->nr_workers, sizeof(*m->workers));
	if (!m->tasks || !m->workers)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->samples->nr_threads; i++)
		add_tasks(m, i);
	return 0;
}

/* --- the heap of a worker --- */

static bool is_before(const struct timed_run *a, const struct timed_run *b)
{
	return a->next->time_ns < b->next->time_ns;
}

static void sift_down(struct merge_worker *w, size_t at)
{
	const struct timed_run moved = w->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= w->nr)
			break;
		if (child + 1 < w->nr && is_before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!is_before(&w->heap[child], &moved))
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = moved;
}

/* The first sample that is not before this time. */
static const struct logged_sample *first_from(const struct timed_run *run, uint64_t time_ns)
{
	const struct logged_sample *from = run->next, *to = run->end;

	while (from < to) {
		const struct logged_sample *middle = from + (to - from) / 2;

		if (middle->time_ns < time_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Takes the parts of runs that are of the slice. Returns the number of samples before it. */
static uint64_t take_runs(const struct merging *m, struct merge_worker *w,
			  const struct merge_task *task)
{
	uint64_t nr_before = 0;

	w->nr = 0;
	for (const struct timed_run *r = first_run(m, task->thread);
	     r < end_of_runs(m, task->thread); r++) {
		struct timed_run part = *r;

		part.next = first_from(r, task->from_ns);
		part.end = task->is_last ? r->end : first_from(r, task->until_ns);
		nr_before += (uint64_t)(part.next - r->next);
		if (part.next < part.end)
			w->heap[w->nr++] = part;
	}
	for (size_t i = w->nr / 2; i-- > 0;)
		sift_down(w, i);
	return nr_before;
}

static int make_heap(const struct merging *m, struct merge_worker *w, uint32_t thread)
{
	const size_t nr = (size_t)(end_of_runs(m, thread) - first_run(m, thread));
	struct timed_run *grown;

	if (nr <= w->cap)
		return 0;
	grown = memory_resize(m->aggregate->memory, w->heap, 2 * nr, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->heap = grown;
	w->cap = 2 * nr;
	return 0;
}

/* --- the work --- */

struct merged { /* of a task */
	const struct merging *merging;
	struct merge_task *task;
	struct timed_sample *at, *tie; /* next one, and the first of the time of the one before */
};

static void end_tie(struct merged *to)
{
	if (to->at - to->tie > 1)
		timed_ties_sort(to->tie, (uint64_t)(to->at - to->tie));
	to->tie = to->at;
}

static void put_sample(struct merged *to, const struct timed_run *run)
{
	const struct merging *m = to->merging;
	const struct logged_sample *s = run->next;
	const uint64_t time_ns = s->time_ns - m->samples->starts_ns[run->log->capture];

	if (time_ns != to->tie->time_ns)
		end_tie(to);
	to->task->period = ts_sum(to->task->period, s->period);
	*to->at++ = (struct timed_sample){
		.time_ns = time_ns,
		.period = s->period,
		.path = timed_threads_path(m->paths, run->log, s),
		.thread = to->task->thread,
		.cpu = s->cpu,
		.event = run->event,
	};
}

/* Takes samples of the first run up to the next time of the others, but not too many at once. */
static void put_samples(struct merged *to, struct merge_worker *w)
{
	struct timed_run *run = &w->heap[0];
	const struct logged_sample *const stop =
		run->next + ts_min(run->end - run->next, (ptrdiff_t)STEP_SAMPLES);
	uint64_t until_ns = UINT64_MAX;

	for (size_t i = 1; i < ts_min(w->nr, (size_t)3); i++)
		until_ns = ts_min(until_ns, w->heap[i].next->time_ns);
	do
		put_sample(to, run);
	while (++run->next < stop && run->next->time_ns <= until_ns);
	if (run->next == run->end)
		*run = w->heap[--w->nr];
	if (w->nr)
		sift_down(w, 0);
}

static void run_task(const struct merging *m, struct merge_worker *w, struct merge_task *task)
{
	const struct timed_thread *thread = &m->samples->threads[task->thread];
	struct timed_sample *const first =
		m->samples->items + thread->first + take_runs(m, w, task);
	struct merged to = {.merging = m, .task = task, .at = first, .tie = first};
	const struct timed_sample *looked = first;

	while (w->nr) {
		put_samples(&to, w);
		if (to.at - looked < (ptrdiff_t)STEP_SAMPLES)
			continue;
		looked = to.at;
		memory_keep_narrow(m->aggregate->memory);
	}
	end_tie(&to);
	if (to.at > first)
		task->length_ns = to.at[-1].time_ns;
}

static void run_worker(void *arg, unsigned int n)
{
	struct merging *m = arg;
	struct merge_worker *w = &m->workers[n];
	size_t i;

	while (!w->rc && (i = atomic_fetch_add_explicit(&m->next_task, 1, memory_order_relaxed)) <
				 m->nr_tasks) {
		w->rc = make_heap(m, w, m->tasks[i].thread);
		if (!w->rc)
			run_task(m, w, &m->tasks[i]);
	}
}

/* --- the whole --- */

static int add_results(struct merging *m)
{
	int rc = 0;

	for (unsigned int i = 0; i < m->nr_workers; i++)
		rc = rc ? rc : m->workers[i].rc;
	for (size_t i = 0; i < m->nr_tasks; i++) {
		const struct merge_task *task = &m->tasks[i];
		struct timed_thread *thread = &m->samples->threads[task->thread];

		thread->period = ts_sum(thread->period, task->period);
		m->samples->length_ns = ts_max(m->samples->length_ns, task->length_ns);
	}
	return rc;
}

int timed_merge_run(struct timed_samples *t, const struct aggregate *a,
		    const struct stack_paths *paths, uint32_t nr_alone, unsigned int nr_workers)
{
	struct merging m = {
		.samples = t,
		.aggregate = a,
		.paths = paths,
		.nr_alone = nr_alone,
		.nr_workers = nr_workers,
	};
	int rc = list_runs(&m);

	if (!rc)
		rc = list_tasks(&m);
	if (!rc) {
		workers_run(nr_workers, run_worker, &m);
		rc = add_results(&m);
	}
	release_merging(&m);
	return rc;
}
