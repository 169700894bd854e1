// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/grouping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/keyed_hash.h"
#include "common/base/min_max.h"

#define SLOTS_FIRST 1024

/* --- numbering distinct things --- */

/* Gives equal keys of `bytes` bytes equal numbers: the index of the first one. */
struct numbering {
	const uint8_t *things;
	size_t bytes;
	uint32_t *slots; /* index + 1; 0: free */
	size_t nr_slots;
	uint64_t key; /* of the hash; see common/base/keyed_hash.h */
};

static int numbering_init(struct numbering *n, struct memory *memory, const void *things,
			  size_t bytes, size_t nr)
{
	*n = (struct numbering){.things = things,
				.bytes = bytes,
				.nr_slots = SLOTS_FIRST,
				.key = ts_keyed_hash_key()};
	while (n->nr_slots < 2 * nr)
		n->nr_slots *= 2;
	n->slots = memory_new(memory, n->nr_slots, sizeof(*n->slots));
	return n->slots ? 0 : -ENOMEM;
}

static uint32_t number_of(struct numbering *n, size_t i)
{
	const uint8_t *thing = n->things + i * n->bytes;
	size_t at = XXH3_64bits_withSeed(thing, n->bytes, n->key) & (n->nr_slots - 1);

	while (n->slots[at] &&
	       memcmp(n->things + (n->slots[at] - 1) * n->bytes, thing, n->bytes) != 0)
		at = (at + 1) & (n->nr_slots - 1);
	if (!n->slots[at])
		n->slots[at] = (uint32_t)i + 1;
	return n->slots[at] - 1;
}

/* --- bases --- */

static uint32_t parent_of(const struct grouping *g, const struct stacks *stacks,
			  const struct stack *stack)
{
	return parents_find(&g->parents, stack_frames(stacks, stack), stack->nr_frames,
			    g->caller_first);
}

static void add_bases(struct grouping *g, const struct stacks *stacks, struct numbering *n,
		      uint32_t *base_of)
{
	for (uint32_t i = 0; i < stacks->nr; i++) {
		const struct stack *stack = &stacks->items[i];
		const struct stack_key *key = &stack->key;

		g->bases[g->nr_bases] = (struct grouping_base){
			event_group_of(g->groups, key->event).first, key->comm, key->tid, key->tag,
			g->by_parent ? parent_of(g, stacks, stack) : 0};
		base_of[i] = number_of(n, g->nr_bases);
		g->nr_bases += base_of[i] == g->nr_bases;
	}
}

static int make_bases(struct grouping *g)
{
	const struct aggregate *a = g->aggregate;
	struct numbering n = {0};
	size_t nr = 0;

	for (unsigned int i = 0; i < a->nr_parts; i++)
		nr += a->parts[i].nr;
	g->bases = memory_new(a->memory, nr + 1, sizeof(*g->bases));
	g->base_of = memory_new(a->memory, nr + 1, sizeof(*g->base_of));
	if (!g->bases || !g->base_of ||
	    numbering_init(&n, a->memory, g->bases, sizeof(*g->bases), nr))
		return -ENOMEM;
	nr = 0;
	for (unsigned int i = 0; i < a->nr_parts; i++) {
		add_bases(g, &a->parts[i], &n, g->base_of + nr);
		nr += a->parts[i].nr;
	}
	memory_free(n.slots);
	return 0;
}

/* --- groups --- */

/*
 * The fields of a frame that the sort keys tell apart. They are hashed and compared as bytes, so
 * the struct must have no padding.
 */
struct group_key {
	uint64_t name; /* address of the interned name of the object */
	uint64_t from, to;
	uint64_t
		symbol; /* 0: unknown, 1: from..to, else address of the name of an inlined function */
	uint64_t line; /* address of the interned name */
};

static struct group_key group_key(const struct grouping *g, const struct frame *f, bool is_caller)
{
	struct group_key key = {0};

	/*
	 * Symbols of different objects are different; unknown addresses are compared without the
	 * object.
	 */
	if (f->module && (g->by_dso || (g->by_sym && f->symbol)))
		key.name = (uintptr_t)f->module->short_name;
	if (g->by_line)
		key.line = (uintptr_t)f->line;
	if (g->by_sym) {
		key.symbol = !f->symbol ? 0 : f->around ? (uintptr_t)f->symbol->name : 1;
		key.from = f->symbol ? f->symbol->start : is_caller ? f->ip : f->addr;
		key.to = f->symbol ? f->symbol->end : 0;
	}
	return key;
}

static int make_groups(struct grouping *g)
{
	const struct frames *frames = &g->aggregate->frames;
	size_t nr = 2 * (size_t)frames->nr;
	struct memory *memory = g->aggregate->memory;
	struct group_key *keys = memory_new(memory, nr + 1, sizeof(*keys));
	struct numbering n = {0};
	int rc = -ENOMEM;

	g->sample_group = memory_new(memory, nr + 1, sizeof(*g->sample_group));
	if (!keys || !g->sample_group || numbering_init(&n, memory, keys, sizeof(*keys), nr))
		goto out;
	g->caller_group = g->sample_group + frames->nr;
	for (size_t i = 0; i < nr; i++) {
		keys[i] = group_key(g, &frames->items[i % frames->nr], i >= frames->nr);
		g->sample_group[i] = number_of(&n, i);
	}
	rc = 0;
out:
	memory_free(n.slots);
	memory_free(keys);
	return rc;
}

/*
 * The fields of a frame that a call graph tells apart. They are hashed and compared as bytes, so
 * the struct must have no padding.
 */
struct graph_key {
	uint64_t symbol, module; /* addresses */
	uint64_t ip;
};

/* One unknown address may have been mapped to several places of an object, one after the other. */
static int make_graph_frames(struct grouping *g)
{
	const struct frames *frames = &g->aggregate->frames;
	struct memory *memory = g->aggregate->memory;
	struct graph_key *keys = memory_new(memory, (size_t)frames->nr + 1, sizeof(*keys));
	struct numbering n = {0};
	int rc = -ENOMEM;

	g->graph_frame = memory_new(memory, (size_t)frames->nr + 1, sizeof(*g->graph_frame));
	if (!keys || !g->graph_frame || numbering_init(&n, memory, keys, sizeof(*keys), frames->nr))
		goto out;
	for (uint32_t i = 0; i < frames->nr; i++) {
		const struct frame *f = &frames->items[i];

		keys[i] = (struct graph_key){(uintptr_t)f->symbol, (uintptr_t)f->module, f->ip};
		if (f->around) /* as in perf: by name, whatever the outer function is */
			keys[i] = (struct graph_key){(uintptr_t)f->symbol->name, 0, f->ip};
		g->graph_frame[i] = number_of(&n, i);
	}
	rc = 0;
out:
	memory_free(n.slots);
	memory_free(keys);
	return rc;
}

/* --- ranks --- */

struct ranked {
	const char *name;
	uint32_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->name == y->name ? 0 : strcmp(x->name, y->name);
}

/*
 * Sets ret[item.index] to the rank of the item's name; equal names have equal ranks. Returns the
 * number of ranks.
 */
static uint32_t rank_items(struct ranked *items, size_t nr, uint32_t *ret)
{
	uint32_t place = 0;

	if (!nr)
		return 0;
	qsort(items, nr, sizeof(*items), compare_ranked);
	for (size_t i = 0; i < nr; i++) {
		place += i && compare_ranked(&items[i - 1], &items[i]) != 0;
		ret[items[i].index] = place;
	}
	return place + 1;
}

typedef const char *(*name_fn)(const struct frame *f); /* NULL: it has none */

static const char *dso_of(const struct frame *f)
{
	return f->module ? f->module->short_name : NULL;
}

static const char *sym_of(const struct frame *f)
{
	return f->symbol ? f->symbol->name : NULL;
}

static const char *line_of(const struct frame *f)
{
	return f->line;
}

/* Ranks all frames by one of their names; frames without it come last. */
static uint32_t rank_frames(struct grouping *g, struct ranked *items, name_fn name_of,
			    uint32_t *ret)
{
	const struct frames *frames = &g->aggregate->frames;
	uint32_t nr_ranks;
	size_t nr = 0;

	for (uint32_t i = 0; i < frames->nr; i++) {
		const char *name = name_of(&frames->items[i]);

		ret[i] = UINT32_MAX;
		if (name)
			items[nr++] = (struct ranked){name, i};
	}
	nr_ranks = rank_items(items, nr, ret);
	for (uint32_t i = 0; i < frames->nr; i++)
		if (ret[i] == UINT32_MAX)
			ret[i] = nr_ranks;
	return nr_ranks + 1;
}

static int make_ranks(struct grouping *g)
{
	const struct name_table *comms = &g->aggregate->comms;
	uint32_t nr_frames = g->aggregate->frames.nr;
	size_t most = ts_max(nr_frames, comms->nr);
	struct memory *memory = g->aggregate->memory;
	struct ranked *items = memory_new(memory, most + 1, sizeof(*items));

	g->dso_rank = memory_new(memory, (size_t)nr_frames + 1, sizeof(*g->dso_rank));
	g->sym_rank = memory_new(memory, (size_t)nr_frames + 1, sizeof(*g->sym_rank));
	g->line_rank =
		memory_new(memory, g->by_line ? (size_t)nr_frames + 1 : 1, sizeof(*g->line_rank));
	g->comm_rank = memory_new(memory, (size_t)comms->nr + 1, sizeof(*g->comm_rank));
	if (!items || !g->dso_rank || !g->sym_rank || !g->line_rank || !g->comm_rank) {
		memory_free(items);
		return -ENOMEM;
	}
	g->nr_dso_ranks = rank_frames(g, items, dso_of, g->dso_rank);
	g->nr_sym_ranks = rank_frames(g, items, sym_of, g->sym_rank);
	if (g->by_line)
		g->nr_line_ranks = rank_frames(g, items, line_of, g->line_rank);
	for (uint32_t i = 0; i < comms->nr; i++)
		items[i] = (struct ranked){comms->items[i], i};
	g->nr_comm_ranks = rank_items(items, comms->nr, g->comm_rank);
	memory_free(items);
	return 0;
}

/* --- ranks of tags --- */

struct tag_order {
	const struct tags *tags;
	size_t column;
};

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* Numbers stand before words and are compared by value. */
static int compare_texts(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);

	if (is_number(a) != is_number(b))
		return is_number(a) ? -1 : 1;
	if (is_number(a) && x != y)
		return x < y ? -1 : 1;
	return strcmp(a, b);
}

static int compare_tags(const void *a, const void *b, void *arg)
{
	const struct tag_order *o = arg;
	const uint32_t *x = a, *y = b;
	uint64_t v = tags_value(o->tags, *x, o->column), w = tags_value(o->tags, *y, o->column);

	if (v == w)
		return 0;
	if (sample_tag_is_text(o->tags->plan->columns[o->column].kind))
		return compare_texts(tags_text(o->tags, *x, o->column),
				     tags_text(o->tags, *y, o->column));
	return (int64_t)v < (int64_t)w ? -1 : 1;
}

static void rank_tags(struct tag_order *o, uint32_t *order, uint32_t *ret)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < o->tags->nr; i++)
		order[i] = i;
	qsort_r(order, o->tags->nr, sizeof(*order), compare_tags, o);
	for (uint32_t i = 0; i < o->tags->nr; i++) {
		place += i && compare_tags(&order[i - 1], &order[i], o) != 0;
		ret[order[i]] = place;
	}
}

static int make_tag_ranks(struct grouping *g)
{
	struct tag_order o = {.tags = &g->aggregate->tags};
	size_t nr_columns = o.tags->plan ? o.tags->plan->nr : 0;
	struct memory *memory = g->aggregate->memory;
	uint32_t *order;

	if (!o.tags->nr)
		return 0;
	g->tag_ranks = memory_new(memory, nr_columns * o.tags->nr, sizeof(*g->tag_ranks));
	order = memory_new(memory, o.tags->nr, sizeof(*order));
	for (; g->tag_ranks && order && o.column < nr_columns; o.column++)
		rank_tags(&o, order, g->tag_ranks + o.column * o.tags->nr);
	memory_free(order);
	return g->tag_ranks && order ? 0 : -ENOMEM;
}

int grouping_init(struct grouping *g, const struct aggregate *a, const struct grouping_plan *plan)
{
	*g = (struct grouping){
		.aggregate = a, .groups = plan->groups, .caller_first = plan->caller_first};
	if (plan->parent && parents_init(&g->parents, &a->frames, plan->parent))
		return -ENOMEM;
	g->by_parent = plan->parent;
	for (size_t i = 0; i < plan->nr_keys; i++) {
		g->by_sym |= plan->keys[i] == TABLE_SYM;
		g->by_dso |= plan->keys[i] == TABLE_DSO;
		g->by_line |= plan->keys[i] == TABLE_SRCLINE || plan->keys[i] == TABLE_SRCFILE;
	}
	if (!make_bases(g) && !make_groups(g) && !make_graph_frames(g) && !make_ranks(g) &&
	    !make_tag_ranks(g))
		return 0;
	grouping_release(g);
	return -ENOMEM;
}

void grouping_release(struct grouping *g)
{
	memory_free(g->bases);
	memory_free(g->base_of);
	memory_free(g->sample_group);
	memory_free(g->graph_frame);
	memory_free(g->dso_rank);
	memory_free(g->sym_rank);
	memory_free(g->line_rank);
	memory_free(g->comm_rank);
	memory_free(g->tag_ranks);
	parents_release(&g->parents);
	*g = (struct grouping){0};
}
