// SPDX-License-Identifier: Apache-2.0
#include "reader/export/chrome_lanes.h"

#include <errno.h>
#include <string.h>

#include "reader/page/timed_walk.h"

#define NR_CPUS	 (SAMPLE_LOG_NO_CPU + 1u)
#define CPUS_PID NR_CPUS /* the process of all CPUs: no CPU has its number */

struct sorting {
	struct chrome_lanes *lanes;
	const struct timed_samples *samples;
	struct memory *memory;
	uint64_t *counts; /* owned; samples of a capture by CPU; then the place of the next one */
	uint64_t nr;	  /* samples of the captures before */
};

/* --- threads --- */

static int list_threads(struct chrome_lanes *l, const struct export_source *source)
{
	const struct named_threads *threads = &source->times->threads;

	l->items =
		memory_new(source->aggregate->memory, (size_t)threads->nr + 1, sizeof(*l->items));
	if (!l->items)
		return -ENOMEM;
	for (; l->nr < threads->nr; l->nr++) {
		const struct timed_thread *t = threads->items[l->nr].samples;

		l->items[l->nr] =
			(struct chrome_lane){.pid = timed_samples_task(t->capture, t->pid),
					     .tid = timed_samples_task(t->capture, t->tid),
					     .capture = t->capture,
					     .cpu = SAMPLE_LOG_NO_CPU,
					     .thread = &threads->items[l->nr],
					     .items = source->times->samples.items + t->first,
					     .nr = t->nr};
	}
	return 0;
}

/* --- CPUs --- */

/* Makes a lane of each CPU of a capture; its count becomes the place of its first sample. */
static int add_cpus(struct sorting *s, uint32_t capture)
{
	struct chrome_lanes *l = s->lanes;
	struct chrome_lane *grown;
	uint32_t nr = 0;

	for (uint32_t cpu = 0; cpu < NR_CPUS; cpu++)
		nr += s->counts[cpu] > 0;
	grown = memory_resize(s->memory, l->items, (size_t)l->nr + nr + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	l->items = grown;
	for (uint32_t cpu = 0; cpu < NR_CPUS; cpu++) {
		const uint64_t count = s->counts[cpu];

		if (!count)
			continue;
		l->items[l->nr++] =
			(struct chrome_lane){.pid = timed_samples_task(capture, CPUS_PID),
					     .tid = timed_samples_task(capture, cpu),
					     .capture = capture,
					     .cpu = cpu,
					     .items = s->samples->items,
					     .order = l->order + s->nr,
					     .nr = count};
		s->counts[cpu] = s->nr;
		s->nr += count;
	}
	return 0;
}

static int walk_capture(struct sorting *s, uint32_t capture, bool is_placed)
{
	struct timed_walk walk;
	int rc = timed_walk_init(&walk, s->samples, capture, s->memory);

	for (const struct timed_sample *at; !rc && (at = timed_walk_next(&walk));) {
		uint64_t *count = &s->counts[at->cpu];

		if (is_placed)
			s->lanes->order[*count] = (uint64_t)(at - s->samples->items);
		++*count;
	}
	timed_walk_release(&walk);
	return rc;
}

static int sort_samples(struct sorting *s)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < s->samples->nr_captures; i++) {
		memset(s->counts, 0, NR_CPUS * sizeof(*s->counts));
		rc = walk_capture(s, i, false);
		if (!rc)
			rc = add_cpus(s, i);
		if (!rc)
			rc = walk_capture(s, i, true);
	}
	return rc;
}

static int list_cpus(struct chrome_lanes *l, const struct export_source *source)
{
	const struct named_threads *threads = &source->times->threads;
	struct sorting s = {.lanes = l,
			    .samples = &source->times->samples,
			    .memory = source->aggregate->memory};
	int rc = -ENOMEM;

	s.counts = memory_new(s.memory, NR_CPUS, sizeof(*s.counts));
	l->order = memory_new_file(s.memory, s.samples->nr + 1, sizeof(*l->order));
	l->of_thread = memory_new(s.memory, (size_t)threads->nr + 1, sizeof(const void *));
	l->items = memory_new(s.memory, 1, sizeof(*l->items));
	if (s.counts && l->order && l->of_thread && l->items) {
		for (uint32_t i = 0; i < threads->nr; i++)
			l->of_thread[threads->items[i].samples - s.samples->threads] =
				&threads->items[i];
		rc = sort_samples(&s);
	}
	memory_free(s.counts);
	return rc;
}

/* --- the whole --- */

int chrome_lanes_init(struct chrome_lanes *l, const struct export_source *source)
{
	*l = (struct chrome_lanes){0};
	return source->by_cpu ? list_cpus(l, source) : list_threads(l, source);
}

void chrome_lanes_release(struct chrome_lanes *l)
{
	memory_free(l->items);
	memory_free(l->order);
	memory_free(l->of_thread);
	*l = (struct chrome_lanes){0};
}
