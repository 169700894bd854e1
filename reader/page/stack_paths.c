// SPDX-License-Identifier: Apache-2.0
#include "reader/page/stack_paths.h"

#include <errno.h>

#include "common/base/keyed_hash.h"
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

/* Writes the looks of a stack: the command and the outermost frame first, or the leaf. Returns how many. */
static uint32_t write_looks(const struct frame_looks *l, const struct stacks *part,
			    const struct stack *s, const struct stack_paths_plan *plan,
			    uint32_t *to)
{
	const uint32_t *frames = s->nr_frames ? stack_frames(part, s) : &s->key.leaf;
	const uint32_t nr = nr_frames_of(s);

	if (!plan->is_bare && !plan->leaf_first)
		*to++ = l->of_comm[s->key.comm];
	for (uint32_t i = 0; i < nr; i++)
		to[plan->leaf_first ? i : nr - 1 - i] = l->of_frame[frames[i]];
	if (!plan->is_bare && plan->leaf_first)
		to[nr] = l->of_comm[s->key.comm];
	return length_of(s, plan);
}

/* Makes one of unknown looks that follow each other. Returns how many are left. */
static uint32_t join_unknown(const struct frame_looks *l, uint32_t *looks, struct stack_run *runs,
			     uint32_t nr)
{
	uint32_t last = 0;

	runs[0] = (struct stack_run){1, 1};
	for (uint32_t i = 1; i < nr; i++) {
		if (looks[i] != looks[last] || l->items[looks[i]].kind != FRAME_KIND_UNKNOWN) {
			looks[++last] = looks[i];
			runs[last] = (struct stack_run){1, 1};
		} else if (runs[last].most < UINT16_MAX) {
			runs[last].least = ++runs[last].most;
		}
	}
	return last + 1;
}

static void take_stack(struct stack_paths *p, const struct stacks *part, const struct stack *s,
		       const struct stack_paths_plan *plan, uint64_t at, uint32_t number)
{
	const struct stack_weight weight = {s->nr_samples, s->period};
	struct stack_path *path = &p->items[p->nr++];
	const uint32_t side = side_of(s, plan);

	*path = (struct stack_path){.first = at, .stack = number};
	if (side < plan->nr_sides) {
		path->weight[side] = weight;
		stack_weight_add(&p->weight[side], &weight);
	}
	path->nr = write_looks(p->looks, part, s, plan, p->numbers + at);
	if (p->runs)
		path->nr = join_unknown(p->looks, p->numbers + at, p->runs + at, path->nr);
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

/* --- order --- */

#define FEW 16 /* paths that are sorted by insertion */

/*
 * A path while paths are sorted, with two of its looks: so many of them are compared without a look at the path.
 * Each half of the key is a look + 1, or 0 behind the end.
 */
struct path_key {
	uint64_t looks;
	uint32_t path; /* index into the items */
};

struct key_span { /* paths that are equal before this depth */
	struct path_key *keys;
	size_t nr;
	uint32_t depth;
};

struct path_sorting {
	const struct stack_paths *paths;
	uint64_t random;
};

/* A path stands before those that go on from it. The first `depth` looks are known to be equal. */
static int compare_paths(const struct stack_paths *p, const struct stack_path *x,
			 const struct stack_path *y, uint32_t depth)
{
	const uint32_t nr = ts_min(x->nr, y->nr);

	for (uint32_t i = depth; i < nr; i++) {
		const uint32_t a = p->numbers[x->first + i], b = p->numbers[y->first + i];

		if (a != b)
			return a < b ? -1 : 1;
	}
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static void load_keys(const struct path_sorting *s, const struct key_span *span)
{
	for (size_t i = 0; i < span->nr; i++) {
		const struct stack_path *path = &s->paths->items[span->keys[i].path];
		const uint32_t *looks = s->paths->numbers + path->first;
		const uint32_t at = span->depth;
		const uint64_t first = at < path->nr ? looks[at] + 1ull : 0;

		span->keys[i].looks = first << 32 | (at + 1 < path->nr ? looks[at + 1] + 1ull : 0);
	}
}

/* A key by chance: no order of stacks makes the sorting slow. */
static uint64_t pick_looks(struct path_sorting *s, const struct key_span *span)
{
	s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
	return span->keys[(s->random >> 32) % span->nr].looks;
}

static void swap_keys(struct path_key *a, struct path_key *b)
{
	const struct path_key kept = *a;

	*a = *b;
	*b = kept;
}

/* Lower keys, equal ones, higher ones. Paths that are equal to their end need no further order. */
static void part_span(struct path_sorting *s, const struct key_span *span, struct key_span ret[3])
{
	const uint64_t middle = pick_looks(s, span);
	struct path_key *keys = span->keys;
	size_t low = 0, high = span->nr;

	for (size_t i = 0; i < high;) {
		if (keys[i].looks < middle)
			swap_keys(&keys[low++], &keys[i++]);
		else if (keys[i].looks > middle)
			swap_keys(&keys[i], &keys[--high]);
		else
			i++;
	}
	ret[0] = (struct key_span){keys, low, span->depth};
	ret[1] = (struct key_span){keys + low, (uint32_t)middle ? high - low : 0, span->depth + 2};
	ret[2] = (struct key_span){keys + high, span->nr - high, span->depth};
	if (ret[1].nr > FEW)
		load_keys(s, &ret[1]);
}

static void sort_few(const struct path_sorting *s, const struct key_span *span)
{
	const struct stack_path *items = s->paths->items;
	struct path_key *keys = span->keys;

	for (size_t i = 1; i < span->nr; i++) {
		const struct path_key key = keys[i];
		size_t at = i;

		for (; at && compare_paths(s->paths, &items[key.path], &items[keys[at - 1].path],
					   span->depth) < 0;
		     at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* The largest part is the next span, so the calls are not deep. */
static void sort_span(struct path_sorting *s, struct key_span span)
{
	while (span.nr > FEW) {
		struct key_span parts[3];
		unsigned int largest = 0;

		part_span(s, &span, parts);
		for (unsigned int i = 1; i < 3; i++)
			if (parts[i].nr > parts[largest].nr)
				largest = i;
		for (unsigned int i = 0; i < 3; i++)
			if (i != largest)
				sort_span(s, parts[i]);
		span = parts[largest];
	}
	sort_few(s, &span);
}

/* Moves each path to its place, in place: along the circles that these moves are. */
static void move_paths(struct stack_paths *p, struct path_key *keys)
{
	for (uint32_t i = 0; i < p->nr; i++) {
		const struct stack_path first = p->items[i];
		uint32_t at = i;

		while (keys[at].path != i) {
			const uint32_t from = keys[at].path;

			p->items[at] = p->items[from];
			keys[at].path = at;
			at = from;
		}
		p->items[at] = first;
		keys[at].path = at;
	}
}

static int sort_paths(struct stack_paths *p, struct memory *memory)
{
	struct path_sorting s = {.paths = p, .random = ts_keyed_hash_key()};
	struct key_span all = {.nr = p->nr};

	all.keys = memory_new(memory, p->nr + 1, sizeof(*all.keys));
	if (!all.keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr; i++)
		all.keys[i].path = i;
	load_keys(&s, &all);
	sort_span(&s, all);
	move_paths(p, all.keys);
	memory_free(all.keys);
	return 0;
}

/* --- the whole --- */

/* The looks that two paths begin with alike. */
static uint32_t nr_alike(const struct stack_paths *p, const struct stack_path *x,
			 const struct stack_path *y)
{
	const uint32_t nr = ts_min(x->nr, y->nr);
	uint32_t i = 0;

	while (i < nr && p->numbers[x->first + i] == p->numbers[y->first + i])
		i++;
	return i;
}

static void join_runs(struct stack_paths *p, const struct stack_path *to,
		      const struct stack_path *more)
{
	struct stack_run *runs = p->runs + to->first;

	for (uint32_t i = 0; i < to->nr; i++) {
		runs[i].least = ts_min(runs[i].least, p->runs[more->first + i].least);
		runs[i].most = ts_max(runs[i].most, p->runs[more->first + i].most);
	}
}

static void join_equal(struct stack_paths *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++) {
		const struct stack_path *path = &p->items[i], *last = nr ? &p->items[nr - 1] : NULL;
		const uint32_t alike = last ? nr_alike(p, last, path) : 0;
		const bool is_new = !last || alike < path->nr; /* shorter ones stand before */

		if (p->of_stack)
			p->of_stack[path->stack] = (uint32_t)(is_new ? nr : nr - 1);
		if (is_new) {
			p->nr_nodes += path->nr - alike;
			p->items[nr++] = *path;
			continue;
		}
		if (p->runs)
			join_runs(p, last, path);
		for (uint32_t side = 0; side < p->nr_sides; side++)
			stack_weight_add(&p->items[nr - 1].weight[side], &path->weight[side]);
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
	if (plan->joins_unknown)
		p->runs = memory_new(a->memory, nr_looks + 1, sizeof(*p->runs));
	if (!p->items || !p->numbers || (plan->joins_unknown && !p->runs) ||
	    (plan->with_places && make_places(p, a))) {
		stack_paths_release(p);
		return -ENOMEM;
	}
	take_stacks(p, a, plan);
	if (sort_paths(p, a->memory)) {
		stack_paths_release(p);
		return -ENOMEM;
	}
	join_equal(p);
	return 0;
}

void stack_paths_release(struct stack_paths *p)
{
	memory_free(p->items);
	memory_free(p->numbers);
	memory_free(p->runs);
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
