// SPDX-License-Identifier: Apache-2.0
/*
 * A node is kept if more than `most_small` samples go through it. A node has at most as many samples as
 * its parent, so the kept nodes are a tree. The bound is the lowest with which the tree fits: it is
 * searched by halves, since more nodes are never left by a higher one.
 */
#include "reader/html/html_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/base/min_max.h"

struct cutting {
	const struct stack_tree *tree;
	struct memory *memory;
	bool is_cut;
	uint64_t most_small; /* samples of a node that is merged */
	/* owned; by node, then that of all roots together: */
	uint64_t *totals;   /* samples through it; without a cut NULL */
	uint64_t *least;    /* of its children; without a cut NULL */
	uint32_t *nr_small; /* children that are merged; without a cut NULL */
	uint32_t *places;   /* its node of the page */
};

static uint32_t parent_of(const struct cutting *c, uint32_t node)
{
	const uint32_t parent = c->tree->nodes[node].parent;

	return parent == STACK_TREE_ROOT ? c->tree->nr : parent;
}

static bool is_kept(const struct cutting *c, uint32_t node)
{
	return !c->is_cut || node == c->tree->nr || c->totals[node] > c->most_small;
}

/* --- how much is cut --- */

static void add_totals(struct cutting *c, const struct timed_samples *samples)
{
	for (uint64_t i = 0; i < samples->nr; i++)
		c->totals[c->tree->of_path[samples->items[i].path]]++;
	for (uint32_t i = c->tree->nr; i-- > 0;)
		c->totals[parent_of(c, i)] += c->totals[i];
	for (uint32_t i = 0; i <= c->tree->nr; i++)
		c->least[i] = UINT64_MAX;
	for (uint32_t i = 0; i < c->tree->nr; i++)
		c->least[parent_of(c, i)] = ts_min(c->least[parent_of(c, i)], c->totals[i]);
}

/* The nodes that the bound leaves: those that are kept, and a child for what is merged in each. */
static uint64_t count_left(const struct cutting *c, uint64_t most_small)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i <= c->tree->nr; i++)
		if (i == c->tree->nr || c->totals[i] > most_small)
			nr += (i < c->tree->nr) + (c->least[i] <= most_small);
	return nr;
}

static void find_bound(struct cutting *c, uint32_t most_nodes)
{
	uint64_t low = 0, high = c->totals[c->tree->nr];

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (count_left(c, middle) <= most_nodes)
			high = middle;
		else
			low = middle + 1;
	}
	c->most_small = low;
	for (uint32_t i = 0; i < c->tree->nr; i++)
		if (!is_kept(c, i) && is_kept(c, parent_of(c, i)))
			c->nr_small[parent_of(c, i)]++;
}

static int plan_cut(struct cutting *c, const struct timed_samples *samples, uint32_t most_nodes)
{
	const size_t nr = (size_t)c->tree->nr + 1;

	c->places = memory_new_file(c->memory, nr, sizeof(*c->places));
	c->is_cut = c->tree->nr > most_nodes;
	if (!c->places || !c->is_cut)
		return c->places ? 0 : -ENOMEM;
	c->totals = memory_new_file(c->memory, nr, sizeof(*c->totals));
	c->least = memory_new_file(c->memory, nr, sizeof(*c->least));
	c->nr_small = memory_new_file(c->memory, nr, sizeof(*c->nr_small));
	if (!c->totals || !c->least || !c->nr_small)
		return -ENOMEM;
	add_totals(c, samples);
	find_bound(c, most_nodes);
	return 0;
}

static void release_cutting(struct cutting *c)
{
	memory_free(c->totals);
	memory_free(c->least);
	memory_free(c->nr_small);
	memory_free(c->places);
}

/* --- nodes --- */

#define SMALL (1u << 31) /* a look of merged nodes, until all looks are numbered */

/* The child of a node for all that is merged in it. It stands first. */
static int add_small(struct html_tree *t, const struct cutting *c, uint32_t node, uint32_t parent)
{
	char name[32];
	uint32_t number;

	if (!c->is_cut || !c->nr_small[node])
		return 0;
	snprintf(name, sizeof(name), "(%" PRIu32 " small)", c->nr_small[node]);
	number = name_table_intern(&t->small, name);
	if (number == NAME_TABLE_NONE)
		return -ENOMEM;
	t->nodes[t->nr++] = (struct html_node){.look = number | SMALL, .parent = parent};
	return 0;
}

/* A merged node is at the child of the lowest kept node above it. */
static uint32_t place_merged(const struct cutting *c, uint32_t node)
{
	const uint32_t parent = parent_of(c, node);

	if (!is_kept(c, parent))
		return c->places[parent];
	return parent == c->tree->nr ? 0 : c->places[parent] + 1;
}

static int add_nodes(struct html_tree *t, const struct cutting *c)
{
	int rc = add_small(t, c, c->tree->nr, STACK_TREE_ROOT);

	for (uint32_t i = 0; !rc && i < c->tree->nr; i++) {
		const struct stack_node *node = &c->tree->nodes[i];
		const bool is_root = node->parent == STACK_TREE_ROOT;

		if (!is_kept(c, i)) {
			c->places[i] = place_merged(c, i);
			t->nr_merged++;
			continue;
		}
		c->places[i] = t->nr;
		t->nodes[t->nr++] = (struct html_node){.look = node->look,
						       .parent = is_root ? STACK_TREE_ROOT
									 : c->places[node->parent],
						       .run = node->run};
		rc = add_small(t, c, i, c->places[i]);
	}
	return rc;
}

/* --- looks and stacks --- */

/* Numbers the looks that nodes have, in the order of their names; those of merged nodes are the last. */
static int number_looks(struct html_tree *t, uint32_t nr_looks, struct memory *memory)
{
	uint32_t *numbers = memory_new(memory, (size_t)nr_looks + 1, sizeof(*numbers));

	t->looks = memory_new(memory, (size_t)nr_looks + 1, sizeof(*t->looks));
	if (!numbers || !t->looks) {
		memory_free(numbers);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < t->nr; i++)
		if (!(t->nodes[i].look & SMALL))
			numbers[t->nodes[i].look] = 1;
	for (uint32_t i = 0; i < nr_looks; i++)
		if (numbers[i]) {
			numbers[i] = t->nr_used;
			t->looks[t->nr_used++] = i;
		}
	for (uint32_t i = 0; i < t->nr; i++)
		t->nodes[i].look = t->nodes[i].look & SMALL
					   ? t->nr_used + (t->nodes[i].look & ~SMALL)
					   : numbers[t->nodes[i].look];
	t->nr_looks = t->nr_used + t->small.nr;
	memory_free(numbers);
	return 0;
}

static int number_stacks(struct html_tree *t, const struct cutting *c,
			 const struct stack_paths *paths)
{
	uint32_t *numbers = memory_new(c->memory, (size_t)t->nr + 1, sizeof(*numbers));

	t->stack_of_path = memory_new(c->memory, paths->nr + 1, sizeof(*t->stack_of_path));
	t->node_of_stack = memory_new(c->memory, (size_t)t->nr + 1, sizeof(*t->node_of_stack));
	if (!numbers || !t->stack_of_path || !t->node_of_stack) {
		memory_free(numbers);
		return -ENOMEM;
	}
	for (size_t i = 0; i < paths->nr; i++)
		numbers[c->places[c->tree->of_path[i]]] = 1;
	for (uint32_t i = 0; i < t->nr; i++)
		if (numbers[i]) {
			numbers[i] = t->nr_stacks;
			t->node_of_stack[t->nr_stacks++] = i;
		}
	for (size_t i = 0; i < paths->nr; i++)
		t->stack_of_path[i] = numbers[c->places[c->tree->of_path[i]]];
	memory_free(numbers);
	return 0;
}

/* --- the whole --- */

int html_tree_init(struct html_tree *t, const struct stack_tree *tree,
		   const struct stack_paths *paths, const struct timed_samples *samples,
		   uint32_t most_nodes, struct memory *memory)
{
	struct cutting c = {.tree = tree, .memory = memory};
	int rc;

	*t = (struct html_tree){.small = {.memory = memory}};
	rc = plan_cut(&c, samples, most_nodes);
	if (!rc) {
		t->nodes = memory_new(memory, (size_t)ts_min(tree->nr, most_nodes) + 1,
				      sizeof(*t->nodes));
		rc = t->nodes ? add_nodes(t, &c) : -ENOMEM;
	}
	if (!rc)
		rc = number_looks(t, paths->looks->nr, memory);
	if (!rc)
		rc = number_stacks(t, &c, paths);
	release_cutting(&c);
	if (rc)
		html_tree_release(t);
	return rc;
}

void html_tree_release(struct html_tree *t)
{
	memory_free(t->nodes);
	memory_free(t->node_of_stack);
	memory_free(t->stack_of_path);
	memory_free(t->looks);
	name_table_release(&t->small);
	*t = (struct html_tree){0};
}
