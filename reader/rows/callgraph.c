// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/callgraph.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/keyed_hash.h"
#include "common/base/min_max.h"
#include "common/base/sum.h"

#define SLOTS_FIRST 1024

void callgraph_init(struct callgraph *g, const struct table *table)
{
	*g = (struct callgraph){.table = table};
}

void callgraph_release(struct callgraph *g)
{
	memory_free(g->nodes);
	memory_free(g->slots);
	memory_free(g->order);
	memory_free(g->ways);
	*g = (struct callgraph){0};
}

/* --- the tree --- */

static size_t hash_child(const struct callgraph *g, uint32_t parent, uint32_t frame)
{
	return ts_keyed_hash(g->table->key, (uint64_t)parent << 32 | frame);
}

static int grow_nodes(struct callgraph *g)
{
	size_t nr_slots = g->nr_slots ? 2 * g->nr_slots : SLOTS_FIRST;
	struct memory *memory = g->table->aggregate->memory;
	struct callgraph_node *nodes;
	uint32_t *slots;

	if (g->nr_slots > 2 * (size_t)g->nr)
		return 0;
	nodes = memory_resize(memory, g->nodes, nr_slots / 2, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	g->nodes = nodes;
	slots = memory_new(memory, nr_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	memory_free(g->slots);
	g->slots = slots;
	g->nr_slots = nr_slots;
	for (uint32_t i = 1; i < g->nr; i++) {
		size_t at = hash_child(g, nodes[i].parent, nodes[i].frame) & (nr_slots - 1);

		while (slots[at])
			at = (at + 1) & (nr_slots - 1);
		slots[at] = i + 1;
	}
	return 0;
}

static uint32_t add_node(struct callgraph *g, uint32_t parent, uint32_t frame)
{
	g->nodes[g->nr] = (struct callgraph_node){
		.frame = frame,
		.parent = parent,
		.first_child = CALLGRAPH_NONE,
		.next = CALLGRAPH_NONE,
	};
	return g->nr++;
}

/* The child of `parent` for a frame, added if new; CALLGRAPH_NONE: out of memory. */
static uint32_t find_child(struct callgraph *g, uint32_t parent, uint32_t frame)
{
	struct callgraph_node *node;
	uint32_t child;
	size_t at;

	if (grow_nodes(g))
		return CALLGRAPH_NONE;
	for (at = hash_child(g, parent, frame) & (g->nr_slots - 1); g->slots[at];
	     at = (at + 1) & (g->nr_slots - 1)) {
		node = &g->nodes[g->slots[at] - 1];
		if (node->parent == parent && node->frame == frame)
			return g->slots[at] - 1;
	}
	child = add_node(g, parent, frame);
	g->slots[at] = child + 1;
	g->nodes[child].next = g->nodes[parent].first_child;
	g->nodes[parent].first_child = child;
	g->nodes[parent].nr_children++;
	return child;
}

/* --- order --- */

/* The address of its function, unless frames are told apart by address. */
static uint64_t address_of(const struct frame *f)
{
	return f->symbol && !f->ip ? f->symbol->start : f->ip;
}

static const char *object_of(const struct frame *f)
{
	return f->module ? f->module->long_name : "";
}

static const char *inlined_name(const struct frame *f)
{
	return f->around ? f->symbol->name : "";
}

/*
 * The order of equal weights, as in perf: mapped frames first, then by object, then the higher
 * address first.
 */
static int compare_frames(const struct callgraph *g, const struct callgraph_node *a,
			  const struct callgraph_node *b)
{
	const struct frame *frames = g->table->aggregate->frames.items;
	const struct frame *f = &frames[a->frame], *h = &frames[b->frame];
	int rc = !f->module - !h->module;

	rc = rc ? rc : strcmp(object_of(f), object_of(h));
	if (rc)
		return rc;
	if (address_of(f) != address_of(h))
		return address_of(f) > address_of(h) ? -1 : 1;
	rc = strcmp(inlined_name(h), inlined_name(f));
	return rc ? rc : f->level - h->level;
}

/* The heaviest first. */
static int compare_nodes(const void *x, const void *y, void *arg)
{
	const struct callgraph *g = arg;
	const struct callgraph_node *a = &g->nodes[*(const uint32_t *)x];
	const struct callgraph_node *b = &g->nodes[*(const uint32_t *)y];

	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	return compare_frames(g, a, b);
}

static int reserve_order(struct callgraph *g, uint32_t nr)
{
	uint32_t *order;

	if (nr <= g->cap_order)
		return 0;
	order = memory_resize(g->table->aggregate->memory, g->order, 2 * (size_t)nr,
			      sizeof(*order));
	if (!order)
		return -ENOMEM;
	g->order = order;
	g->cap_order = 2 * nr;
	return 0;
}

/* The least period of children that are shown below this parent. */
static uint64_t least_period(const struct callgraph_node *parent,
			     const struct callgraph_style *style, uint64_t event_least)
{
	if (style->type == CALLGRAPH_FRACTAL)
		return (uint64_t)ceil((double)(parent->period - parent->end_period) *
				      style->min_share);
	return event_least;
}

static int order_children(struct callgraph *g, uint32_t parent, uint64_t min_period)
{
	struct callgraph_node *node = &g->nodes[parent];
	uint32_t nr = 0;

	if (!node->nr_children)
		return 0;
	if (reserve_order(g, node->nr_children))
		return -ENOMEM;
	for (uint32_t c = node->first_child; c != CALLGRAPH_NONE; c = g->nodes[c].next)
		if (g->nodes[c].period >= min_period)
			g->order[nr++] = c;
	qsort_r(g->order, nr, sizeof(*g->order), compare_nodes, g);
	node->first_child = nr ? g->order[0] : CALLGRAPH_NONE;
	for (uint32_t i = 0; i < nr; i++) {
		g->nodes[g->order[i]].is_shown = true;
		g->nodes[g->order[i]].next = i + 1 < nr ? g->order[i + 1] : CALLGRAPH_NONE;
	}
	return 0;
}

static uint64_t event_least(const struct callgraph *g, const struct table_entry *entry,
			    const struct callgraph_style *style)
{
	uint64_t period = g->table->events[table_base(g->table, entry)->event].period;

	return (uint64_t)((double)period * style->min_share);
}

/* --- growing --- */

/*
 * Puts the callchain of a place at the root of the tree: from its caller on, or from the root to
 * the place.
 */
static struct callgraph_way way_of(const struct callgraph *g, const struct table_ref *ref)
{
	const struct stack *stack = &ref->part->items[ref->stack];
	const uint32_t *frames = stack_frames(ref->part, stack);
	const bool is_leaf = ref->position == TABLE_LEAF;
	struct callgraph_way way = {.period = stack->period, .nr_samples = stack->nr_samples};

	if (g->table->plan.caller_first) {
		way.nr_left = is_leaf ? stack->nr_frames : ref->position + 1;
		way.next = frames + way.nr_left - 1;
	} else {
		way.nr_left = stack->nr_frames - (is_leaf ? 0 : ref->position);
		way.next = frames + stack->nr_frames - way.nr_left;
	}
	return way;
}

static int start_ways(struct callgraph *g, const struct table_entry *entry)
{
	struct callgraph_way *ways = g->ways;

	if (entry->nr_refs > g->cap_ways)
		ways = memory_resize(g->table->aggregate->memory, ways, entry->nr_refs,
				     sizeof(*ways));
	if (!ways && entry->nr_refs)
		return -ENOMEM;
	g->ways = ways;
	g->cap_ways = (uint32_t)ts_max(g->cap_ways, entry->nr_refs);
	for (uint32_t i = 0; i < entry->nr_refs; i++) {
		ways[i] = way_of(g, &entry->refs[i]);
		g->nodes[0].period = ts_sum(g->nodes[0].period, ways[i].period);
		g->nodes[0].nr_samples += ways[i].nr_samples;
	}
	g->nr_ways = entry->nr_refs;
	return 0;
}

/* Moves all callchains one frame on and drops those that end here. */
static int step_down(struct callgraph *g)
{
	const int direction = g->table->plan.caller_first ? -1 : 1;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < g->nr_ways; i++) {
		struct callgraph_way way = g->ways[i];

		if (!way.nr_left) {
			g->nodes[way.node].end_period =
				ts_sum(g->nodes[way.node].end_period, way.period);
			g->nodes[way.node].nr_end_samples += way.nr_samples;
			continue;
		}
		way.node = find_child(g, way.node, g->table->grouping.graph_frame[*way.next]);
		if (way.node == CALLGRAPH_NONE)
			return -ENOMEM;
		g->nodes[way.node].period = ts_sum(g->nodes[way.node].period, way.period);
		g->nodes[way.node].nr_samples += way.nr_samples;
		if (--way.nr_left)
			way.next += direction;
		g->ways[nr++] = way;
	}
	g->nr_ways = nr;
	return 0;
}

static void drop_hidden_ways(struct callgraph *g)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < g->nr_ways; i++)
		if (g->nodes[g->ways[i].node].is_shown)
			g->ways[nr++] = g->ways[i];
	g->nr_ways = nr;
}

/*
 * Grows the tree level by level: the weight of a node is known before anything grows below it. In
 * captures with many distinct callchains nearly all leave the tree after one or two frames.
 */
static int grow_tree(struct callgraph *g, const struct table_entry *entry,
		     const struct callgraph_style *style)
{
	uint64_t min_period = event_least(g, entry, style);
	uint32_t first = 0, behind;
	int rc;

	g->nr = 0;
	if (g->nr_slots)
		memset(g->slots, 0, g->nr_slots * sizeof(*g->slots));
	if (grow_nodes(g))
		return -ENOMEM;
	add_node(g, 0, FRAME_NONE);
	rc = start_ways(g, entry);
	for (; !rc && g->nr_ways; first = behind) {
		behind = g->nr;
		rc = step_down(g);
		for (uint32_t i = first; !rc && i < behind; i++)
			rc = order_children(g, i, least_period(&g->nodes[i], style, min_period));
		drop_hidden_ways(g);
	}
	return rc;
}

int callgraph_build(struct callgraph *g, const struct table_entry *entry,
		    const struct callgraph_style *style)
{
	return grow_tree(g, entry, style);
}

/* --- the list --- */

/* The heaviest callchain first; equal ones by their frames from the end on. */
static int compare_ends(const void *x, const void *y, void *arg)
{
	const struct callgraph *g = arg;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct callgraph_node *a = &g->nodes[i], *b = &g->nodes[k];
	int rc;

	if (a->end_period != b->end_period)
		return a->end_period > b->end_period ? -1 : 1;
	for (rc = 0; !rc && i && k; i = g->nodes[i].parent, k = g->nodes[k].parent)
		rc = compare_frames(g, &g->nodes[i], &g->nodes[k]);
	return rc ? rc : !k - !i;
}

int64_t callgraph_list(struct callgraph *g, const struct table_entry *entry,
		       const struct callgraph_style *style)
{
	uint64_t min_period = event_least(g, entry, style);
	uint32_t nr = 0;

	if (grow_tree(g, entry, style) || reserve_order(g, g->nr))
		return -ENOMEM;
	for (uint32_t i = 1; i < g->nr; i++)
		if (g->nodes[i].end_period && g->nodes[i].end_period >= min_period)
			g->order[nr++] = i;
	qsort_r(g->order, nr, sizeof(*g->order), compare_ends, g);
	return nr;
}

uint32_t callgraph_run_end(const struct callgraph *g, uint32_t node)
{
	for (;;) {
		const struct callgraph_node *n = &g->nodes[node];

		if (n->nr_end_samples || n->nr_children != 1 || n->first_child == CALLGRAPH_NONE)
			return node;
		node = n->first_child;
	}
}
