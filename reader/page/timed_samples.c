// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_samples.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/runtime/memory_limit.h"

#define PRIVATE_BYTES (16u << 20) /* if all samples need more, they lie in a file */
#define FEW	      24	  /* samples that are sorted by insertion */
#define DIGITS	      26	  /* bytes of time, path, period, CPU and event */

/* --- threads --- */

static int compare_threads(const void *a, const void *b)
{
	const struct timed_thread *x = a, *y = b;

	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

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

static int find_in_block(struct finding *f, uint32_t capture, const struct sample_log_block *block)
{
	for (size_t i = 0; i < block->nr; i++) {
		const struct logged_sample *s = &block->items[i];

		if (i && s->pid == s[-1].pid && s->tid == s[-1].tid)
			continue;
		if (f->nr == f->cap && make_room(f))
			return -ENOMEM;
		f->items[f->nr++] =
			(struct timed_thread){.capture = capture, .pid = s->pid, .tid = s->tid};
	}
	return 0;
}

static int find_threads(struct finding *f, const struct aggregate *a)
{
	for (unsigned int k = 0; k < a->nr_logs; k++) {
		const struct sample_log *log = &a->logs[k];

		for (size_t i = 0; i < log->nr_blocks; i++)
			if (find_in_block(f, log->capture, &log->blocks[i]))
				return -ENOMEM;
	}
	join_threads(f);
	return 0;
}

/* --- samples --- */

struct walk { /* over all samples of the paths */
	struct timed_samples *samples;
	const struct aggregate *aggregate;
	const struct stack_paths *paths;
	uint32_t capture;
	uint32_t nr_searched;	   /* threads that are alone: all but the merged ones */
	struct timed_thread *last; /* thread of the sample before */
};

static struct timed_thread *find_thread(struct timed_samples *t, uint32_t first, uint32_t end,
					const struct timed_thread *wanted)
{
	return bsearch(wanted, t->threads + first, end - first, sizeof(*wanted), compare_threads);
}

/*
 * A thread that is not among those alone is in the merged one of its capture. One that is nowhere has no
 * samples with a path; its number is that of no sample.
 */
static uint32_t thread_of(struct walk *w, const struct logged_sample *s)
{
	const struct timed_thread wanted = {.capture = w->capture, .pid = s->pid, .tid = s->tid};

	if (w->last && !compare_threads(w->last, &wanted))
		return (uint32_t)(w->last - w->samples->threads);
	const struct timed_thread merged = {.capture = w->capture};
	struct timed_samples *t = w->samples;
	const struct timed_thread *found;

	w->last = find_thread(t, 0, w->nr_searched, &wanted);
	found = w->last ? w->last : find_thread(t, w->nr_searched, t->nr_threads, &merged);
	return found ? (uint32_t)(found - t->threads) : t->nr_threads;
}

static void count_sample(struct walk *w, const struct timed_sample *s)
{
	struct timed_thread *thread = &w->samples->threads[s->thread];
	uint64_t *start_ns = &w->samples->starts_ns[w->capture];

	thread->nr++;
	stack_weight_add_period(&thread->period, s->period);
	*start_ns = ts_min(*start_ns, s->time_ns);
	w->samples->nr++;
}

static void place_sample(struct walk *w, const struct timed_sample *s)
{
	struct timed_thread *thread = &w->samples->threads[s->thread];
	struct timed_sample *at = &w->samples->items[thread->first + thread->nr++];

	*at = *s;
	at->time_ns -= w->samples->starts_ns[w->capture];
	w->samples->length_ns = ts_max(w->samples->length_ns, at->time_ns);
}

static void walk_block(struct walk *w, const struct sample_log_block *block,
		       void (*take)(struct walk *w, const struct timed_sample *s))
{
	for (size_t i = 0; i < block->nr; i++) {
		const struct logged_sample *logged = &block->items[i];
		const struct timed_sample s = {
			.time_ns = logged->time_ns,
			.period = logged->period,
			.path = stack_paths_find(w->paths, logged->part, logged->stack),
			.thread = thread_of(w, logged),
			.cpu = logged->cpu,
			.event = w->aggregate->parts[logged->part].items[logged->stack].key.event,
		};

		if (s.path != STACK_PATHS_NONE)
			take(w, &s);
	}
}

static void walk_samples(struct walk *w, void (*take)(struct walk *w, const struct timed_sample *s))
{
	const struct aggregate *a = w->aggregate;

	w->last = NULL; /* threads may have moved */
	for (unsigned int k = 0; k < a->nr_logs; k++) {
		w->capture = a->logs[k].capture;
		for (size_t i = 0; i < a->logs[k].nr_blocks; i++) {
			walk_block(w, &a->logs[k].blocks[i], take);
			memory_keep_narrow(a->memory);
		}
	}
}

/* --- threads that remain --- */

/* More samples first; of as many, the lower thread. */
static int compare_sizes(const void *a, const void *b)
{
	const struct timed_thread *x = a, *y = b;

	return x->nr != y->nr ? (x->nr > y->nr ? -1 : 1) : compare_threads(a, b);
}

static void drop_empty_threads(struct timed_samples *t)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t->nr_threads; i++)
		if (t->threads[i].nr)
			t->threads[nr++] = t->threads[i];
	t->nr_threads = nr;
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
		stack_weight_add_period(&merged->period, one.period);
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

static void lay_threads_out(struct timed_samples *t)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < t->nr_threads; i++) {
		t->threads[i].first = first;
		first += t->threads[i].nr;
		t->threads[i].nr = 0; /* place_sample() counts again */
	}
}

/* --- order --- */

static bool is_before(const struct timed_sample *a, const struct timed_sample *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->path != b->path)
		return a->path < b->path;
	if (a->period != b->period)
		return a->period < b->period;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a->event < b->event;
}

static void sort_few(struct timed_sample *items, uint64_t nr)
{
	for (uint64_t i = 1; i < nr; i++) {
		const struct timed_sample s = items[i];
		uint64_t at = i;

		for (; at && is_before(&s, &items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = s;
	}
}

static uint8_t digit_of(const struct timed_sample *s, unsigned int digit)
{
	if (digit < 8)
		return (uint8_t)(s->time_ns >> (56 - 8 * digit));
	if (digit < 12)
		return (uint8_t)(s->path >> (88 - 8 * digit));
	if (digit < 20)
		return (uint8_t)(s->period >> (152 - 8 * digit));
	return digit < 22 ? (uint8_t)(s->cpu >> (168 - 8 * digit))
			  : (uint8_t)(s->event >> (200 - 8 * digit));
}

/* Puts each sample into the part of its digit. ends[d] is where part d ends. */
static void part_samples(struct timed_sample *items, unsigned int digit, uint64_t ends[256])
{
	uint64_t next[256] = {0};

	for (int d = 1; d < 256; d++)
		next[d] = ends[d - 1];
	for (int d = 0; d < 256; d++)
		while (next[d] < ends[d]) {
			const struct timed_sample s = items[next[d]];
			const uint8_t to = digit_of(&s, digit);

			items[next[d]] = items[next[to]];
			items[next[to]++] = s;
		}
}

static bool is_sorted(const struct timed_sample *items, uint64_t nr)
{
	for (uint64_t i = 1; i < nr; i++)
		if (is_before(&items[i], &items[i - 1]))
			return false;
	return true;
}

/* By the bytes from `digit` on, in place: samples in a file stay there. At most DIGITS deep. */
static void sort_samples(struct timed_sample *items, uint64_t nr, unsigned int digit)
{
	uint64_t ends[256] = {0}, from = 0;

	if (nr <= FEW) {
		sort_few(items, nr);
		return;
	}
	if (digit == DIGITS || is_sorted(items, nr))
		return;
	for (uint64_t i = 0; i < nr; i++)
		ends[digit_of(&items[i], digit)]++;
	for (int d = 1; d < 256; d++)
		ends[d] += ends[d - 1];
	part_samples(items, digit, ends);
	for (int d = 0; d < 256; from = ends[d++])
		sort_samples(items + from, ends[d] - from, digit + 1);
}

/* --- the whole --- */

static int make_starts(struct timed_samples *t, const struct aggregate *a)
{
	t->nr_captures = a->nr_joined + 1;
	t->starts_ns = memory_new(a->memory, t->nr_captures, sizeof(*t->starts_ns));
	for (uint32_t i = 0; t->starts_ns && i < t->nr_captures; i++)
		t->starts_ns[i] = UINT64_MAX;
	return t->starts_ns ? 0 : -ENOMEM;
}

static int make_threads(struct timed_samples *t, const struct aggregate *a)
{
	struct finding found = {.memory = a->memory};

	if (make_room(&found) || find_threads(&found, a)) {
		memory_free(found.items);
		return -ENOMEM;
	}
	t->threads = found.items;
	t->nr_threads = (uint32_t)found.nr;
	return 0;
}

static int make_items(struct timed_samples *t, const struct aggregate *a)
{
	const bool is_small = t->nr * sizeof(*t->items) <= PRIVATE_BYTES;

	t->items =
		(is_small ? memory_new : memory_new_file)(a->memory, t->nr + 1, sizeof(*t->items));
	return t->items ? 0 : -ENOMEM;
}

int timed_samples_init(struct timed_samples *t, const struct aggregate *a,
		       const struct stack_paths *paths, uint32_t most_threads)
{
	struct walk walk = {.samples = t, .aggregate = a, .paths = paths};

	*t = (struct timed_samples){0};
	if (make_starts(t, a) || make_threads(t, a))
		goto failed;
	walk.nr_searched = t->nr_threads;
	walk_samples(&walk, count_sample);
	drop_empty_threads(t);
	walk.nr_searched = merge_threads(t, most_threads);
	lay_threads_out(t);
	if (make_items(t, a))
		goto failed;
	walk_samples(&walk, place_sample);
	for (uint32_t i = 0; i < t->nr_threads; i++)
		sort_samples(t->items + t->threads[i].first, t->threads[i].nr, 0);
	return 0;
failed:
	timed_samples_release(t);
	return -ENOMEM;
}

void timed_samples_release(struct timed_samples *t)
{
	memory_free(t->items);
	memory_free(t->threads);
	memory_free(t->starts_ns);
	*t = (struct timed_samples){0};
}
