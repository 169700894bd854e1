// SPDX-License-Identifier: Apache-2.0
#include "reader/page/stack_paths.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"

/* The frames: at least the leaf. */
static uint32_t nr_frames_of(const struct stack *s)
{
	return ts_max(s->nr_frames, 1u);
}

static uint32_t length_of(const struct stack *s, const struct stack_paths_plan *plan)
{
	return nr_frames_of(s) + !plan->is_bare;
}

/* The side of a stack; nr_sides: none. */
static uint32_t side_of(const struct stack *s, const struct stack_paths_plan *plan)
{
	uint32_t side = 0;

	while (side < plan->nr_sides && plan->events[side] != s->key.event)
		side++;
	return side;
}

static bool is_wanted(const struct stack *s, const struct stack_paths_plan *plan)
{
	return plan->with_others || side_of(s, plan) < plan->nr_sides;
}

static void count_room(const struct aggregate *a, const struct stack_paths_plan *plan,
		       size_t *ret_nr, uint64_t *ret_looks)
{
	*ret_nr = 0;
	*ret_looks = 0;
	for (unsigned int p = 0; p < a->nr_parts; p++)
		for (uint32_t i = 0; i < a->parts[p].nr; i++) {
			const struct stack *s = &a->parts[p].items[i];

			if (!is_wanted(s, plan))
				continue;
			++*ret_nr;
			*ret_looks += length_of(s, plan);
		}
}

/* Writes the looks of a stack: the command and the outermost frame first, or the leaf. */
static void write_looks(const struct frame_looks *l, const struct stacks *part,
			const struct stack *s, const struct stack_paths_plan *plan, uint32_t *to)
{
	const uint32_t *frames = s->nr_frames ? stack_frames(part, s) : &s->key.leaf;
	const uint32_t nr = nr_frames_of(s);

	if (!plan->is_bare && !plan->leaf_first)
		*to++ = l->of_comm[s->key.comm];
	for (uint32_t i = 0; i < nr; i++)
		to[plan->leaf_first ? i : nr - 1 - i] = l->of_frame[frames[i]];
	if (!plan->is_bare && plan->leaf_first)
		to[nr] = l->of_comm[s->key.comm];
}

static void take_stack(struct stack_paths *p, const struct stacks *part, const struct stack *s,
		       const struct stack_paths_plan *plan, uint64_t at, uint32_t number)
{
	const struct stack_weight weight = {s->nr_samples, s->period};
	struct stack_path *path = &p->items[p->nr++];
	const uint32_t side = side_of(s, plan);

	*path = (struct stack_path){.first = at, .nr = length_of(s, plan), .stack = number};
	if (side < plan->nr_sides) {
		path->weight[side] = weight;
		stack_weight_add(&p->weight[side], &weight);
	}
	write_looks(p->looks, part, s, plan, p->numbers + at);
}

static void take_stacks(struct stack_paths *p, const struct aggregate *a,
			const struct stack_paths_plan *plan)
{
	uint32_t number = 0;
	uint64_t at = 0;

	for (unsigned int k = 0; k < a->nr_parts; k++)
		for (uint32_t i = 0; i < a->parts[k].nr; i++, number++) {
			const struct stack *s = &a->parts[k].items[i];

			if (!is_wanted(s, plan))
				continue;
			take_stack(p, &a->parts[k], s, plan, at, number);
			at += length_of(s, plan);
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
		const bool is_new =
			!nr || compare_paths(&p->items[nr - 1], &p->items[i], p->numbers);

		if (p->of_stack)
			p->of_stack[p->items[i].stack] = (uint32_t)(is_new ? nr : nr - 1);
		if (is_new) {
			p->items[nr++] = p->items[i];
			continue;
		}
		for (uint32_t side = 0; side < p->nr_sides; side++)
			stack_weight_add(&p->items[nr - 1].weight[side], &p->items[i].weight[side]);
	}
	p->nr = nr;
}

static int make_places(struct stack_paths *p, const struct aggregate *a)
{
	uint64_t nr;

	p->first_of_part = aggregate_first_stacks(a, &nr);
	if (!p->first_of_part || nr >= STACK_PATHS_NONE)
		return -ENOMEM;
	p->of_stack = memory_new(a->memory, nr + 1, sizeof(*p->of_stack));
	if (!p->of_stack)
		return -ENOMEM;
	for (uint64_t i = 0; i < nr; i++)
		p->of_stack[i] = STACK_PATHS_NONE;
	return 0;
}

int stack_paths_init(struct stack_paths *p, const struct aggregate *a,
		     const struct frame_looks *looks, const struct stack_paths_plan *plan)
{
	uint64_t nr_looks;
	size_t nr;

	*p = (struct stack_paths){.looks = looks, .nr_sides = plan->nr_sides};
	count_room(a, plan, &nr, &nr_looks);
	p->items = memory_new(a->memory, nr + 1, sizeof(*p->items));
	p->numbers = memory_new(a->memory, nr_looks + 1, sizeof(*p->numbers));
	if (!p->items || !p->numbers || (plan->with_places && make_places(p, a))) {
		stack_paths_release(p);
		return -ENOMEM;
	}
	take_stacks(p, a, plan);
	qsort_r(p->items, p->nr, sizeof(*p->items), compare_paths, p->numbers);
	join_equal(p);
	return 0;
}

void stack_paths_release(struct stack_paths *p)
{
	memory_free(p->items);
	memory_free(p->numbers);
	memory_free(p->first_of_part);
	memory_free(p->of_stack);
	*p = (struct stack_paths){0};
}

uint32_t stack_paths_longest(const struct stack_paths *p)
{
	uint32_t longest = 1;

	for (size_t i = 0; i < p->nr; i++)
		longest = ts_max(longest, p->items[i].nr);
	return longest;
}
