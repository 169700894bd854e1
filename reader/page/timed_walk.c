// SPDX-License-Identifier: Apache-2.0
#include "reader/page/timed_walk.h"

#include <errno.h>
#include <stdbool.h>

static bool is_before(const struct timed_lane *a, const struct timed_lane *b)
{
	if (a->next->time_ns != b->next->time_ns)
		return a->next->time_ns < b->next->time_ns;
	return a->next->thread < b->next->thread;
}

static void sift_down(struct timed_walk *w, uint32_t at)
{
	const struct timed_lane moved = w->heap[at];

	for (;;) {
		uint64_t child = 2 * (uint64_t)at + 1;

		if (child >= w->nr)
			break;
		if (child + 1 < w->nr && is_before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!is_before(&w->heap[child], &moved))
			break;
		w->heap[at] = w->heap[child];
		at = (uint32_t)child;
	}
	w->heap[at] = moved;
}

/* Threads that are alone stand before merged ones. */
static uint32_t nr_alone(const struct timed_samples *samples)
{
	uint32_t nr = samples->nr_threads;

	while (nr && samples->threads[nr - 1].nr_merged)
		nr--;
	return nr;
}

/* The first thread of [from, to), which are by capture, that is of this capture or of a later one. */
static uint32_t first_thread(const struct timed_samples *samples, uint32_t from, uint32_t to,
			     uint32_t capture)
{
	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;

		if (samples->threads[middle].capture < capture)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void add_lane(struct timed_walk *w, const struct timed_samples *samples, uint32_t thread)
{
	const struct timed_thread *t = &samples->threads[thread];
	const struct timed_sample *first = samples->items + t->first;

	w->heap[w->nr++] = (struct timed_lane){first, first + t->nr};
}

int timed_walk_init(struct timed_walk *w, const struct timed_samples *samples, uint32_t capture,
		    struct memory *memory)
{
	const uint32_t alone = nr_alone(samples), nr = samples->nr_threads;
	const uint32_t from = first_thread(samples, 0, alone, capture);
	const uint32_t end = first_thread(samples, from, alone, capture + 1);
	const uint32_t merged = first_thread(samples, alone, nr, capture);
	const uint32_t merged_end = first_thread(samples, merged, nr, capture + 1);

	*w = (struct timed_walk){
		.heap = memory_new(memory, (size_t)(end - from) + (merged_end - merged) + 1,
				   sizeof(*w->heap))};
	if (!w->heap)
		return -ENOMEM;
	for (uint32_t i = from; i < end; i++)
		add_lane(w, samples, i);
	for (uint32_t i = merged; i < merged_end; i++)
		add_lane(w, samples, i);
	for (uint32_t i = w->nr / 2; i-- > 0;)
		sift_down(w, i);
	return 0;
}

const struct timed_sample *timed_walk_next(struct timed_walk *w)
{
	const struct timed_sample *sample;

	if (!w->nr)
		return NULL;
	sample = w->heap[0].next++;
	if (w->heap[0].next == w->heap[0].end)
		w->heap[0] = w->heap[--w->nr];
	if (w->nr)
		sift_down(w, 0);
	return sample;
}

void timed_walk_release(struct timed_walk *w)
{
	memory_free(w->heap);
	*w = (struct timed_walk){0};
}
