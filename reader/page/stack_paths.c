// SPDX-License-Identifier: Apache-2.0
#include "reader/page/stack_paths.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"

/* The command, and the frames: at least the leaf. */
static uint32_t length_of(const struct stack *s)
{
	return 1 + ts_max(s->nr_frames, 1u);
}

static void count_room(const struct aggregate *a, uint32_t event, size_t *ret_nr,
		       uint64_t *ret_looks)
{
	*ret_nr = 0;
	*ret_looks = 0;
	for (unsigned int p = 0; p < a->nr_parts; p++)
		for (uint32_t i = 0; i < a->parts[p].nr; i++) {
			const struct stack *s = &a->parts[p].items[i];

			*ret_nr += s->key.event == event;
			*ret_looks += s->key.event == event ? length_of(s) : 0;
		}
}

/* Writes the looks of a stack, the outermost one first. */
static void write_looks(const struct frame_looks *l, const struct stacks *part,
			const struct stack *s, uint32_t *to)
{
	const uint32_t *frames = s->nr_frames ? stack_frames(part, s) : &s->key.leaf;

	*to++ = l->of_comm[s->key.comm];
	for (uint32_t nr = length_of(s) - 1; nr--;)
		*to++ = l->of_frame[frames[nr]];
}

static void take_stacks(struct stack_paths *p, const struct aggregate *a, uint32_t event)
{
	uint64_t at = 0;

	for (unsigned int k = 0; k < a->nr_parts; k++)
		for (uint32_t i = 0; i < a->parts[k].nr; i++) {
			const struct stack *s = &a->parts[k].items[i];

			if (s->key.event != event)
				continue;
			p->items[p->nr++] = (struct stack_path){
				.first = at,
				.nr = length_of(s),
				.nr_samples = s->nr_samples,
				.period = s->period,
			};
			write_looks(p->looks_of, &a->parts[k], s, p->looks + at);
			at += length_of(s);
			p->nr_samples += s->nr_samples;
			p->period += s->period;
		}
}

/* A path stands before those that go on from it. */
static int compare_paths(const void *a, const void *b, void *looks)
{
	const struct stack_path *x = a, *y = b;
	const uint32_t *p = (const uint32_t *)looks + x->first;
	const uint32_t *q = (const uint32_t *)looks + y->first;
	const uint32_t nr = ts_min(x->nr, y->nr);

	for (uint32_t i = 0; i < nr; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static void join_equal(struct stack_paths *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++) {
		if (!nr || compare_paths(&p->items[nr - 1], &p->items[i], p->looks)) {
			p->items[nr++] = p->items[i];
			continue;
		}
		p->items[nr - 1].nr_samples += p->items[i].nr_samples;
		p->items[nr - 1].period += p->items[i].period;
	}
	p->nr = nr;
}

int stack_paths_init(struct stack_paths *p, const struct aggregate *a,
		     const struct frame_looks *looks, uint32_t event)
{
	uint64_t nr_looks;
	size_t nr;

	*p = (struct stack_paths){.looks_of = looks};
	count_room(a, event, &nr, &nr_looks);
	p->items = memory_new(a->memory, nr + 1, sizeof(*p->items));
	p->looks = memory_new(a->memory, nr_looks + 1, sizeof(*p->looks));
	if (!p->items || !p->looks) {
		stack_paths_release(p);
		return -ENOMEM;
	}
	take_stacks(p, a, event);
	qsort_r(p->items, p->nr, sizeof(*p->items), compare_paths, p->looks);
	join_equal(p);
	return 0;
}

void stack_paths_release(struct stack_paths *p)
{
	memory_free(p->items);
	memory_free(p->looks);
	*p = (struct stack_paths){0};
}
