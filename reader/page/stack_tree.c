// SPDX-License-Identifier: Apache-2.0
#include "reader/page/stack_tree.h"

#include <errno.h>

#include "common/base/min_max.h"

struct making {
	struct stack_tree *tree;
	uint32_t nr_sides;
	uint32_t *open; /* nodes of the path before, by depth */
	uint32_t nr_open;
	struct stack_weight done[STACK_SIDES]; /* of the paths before */
};

static struct stack_node *add_node(struct stack_tree *t)
{
	if (t->nr == t->cap) {
		const uint32_t cap = 2 * t->cap;
		struct stack_node *grown =
			cap > t->cap ? memory_resize(t->memory, t->nodes, cap, sizeof(*grown))
				     : NULL;

		if (!grown)
			return NULL;
		t->nodes = grown;
		t->cap = cap;
	}
	return &t->nodes[t->nr++];
}

/* Opens a node below the deepest open one. */
static int open_node(struct making *m, uint32_t look)
{
	struct stack_node *node = add_node(m->tree);

	if (!node)
		return -ENOMEM;
	*node = (struct stack_node){
		.look = look,
		.parent = m->nr_open ? m->open[m->nr_open - 1] : STACK_TREE_ROOT,
		.depth = m->nr_open,
	};
	for (uint32_t side = 0; side < m->nr_sides; side++)
		node->before[side] = m->done[side];
	m->open[m->nr_open++] = m->tree->nr - 1;
	return 0;
}

/* Takes the runs of a path into those of its nodes. */
static void take_runs(struct making *m, const struct stack_run *runs)
{
	for (uint32_t i = 0; i < m->nr_open; i++) {
		struct stack_run *run = &m->tree->nodes[m->open[i]].run;

		run->least = run->most ? ts_min(run->least, runs[i].least) : runs[i].least;
		run->most = ts_max(run->most, runs[i].most);
	}
}

/* Closes the open nodes that a path does not go through, and opens the others. */
static int add_path(struct making *m, const struct stack_path *path, const uint32_t *looks)
{
	uint32_t same = 0;
	int rc = 0;

	while (same < m->nr_open && same < path->nr &&
	       m->tree->nodes[m->open[same]].look == looks[same])
		same++;
	m->nr_open = same;
	while (!rc && m->nr_open < path->nr)
		rc = open_node(m, looks[m->nr_open]);
	if (rc)
		return rc;
	for (uint32_t side = 0; side < m->nr_sides; side++) {
		if (m->nr_open)
			stack_weight_add(&m->tree->nodes[m->open[m->nr_open - 1]].total[side],
					 &path->weight[side]);
		stack_weight_add(&m->done[side], &path->weight[side]);
	}
	return 0;
}

/* The weight of the paths that end in a node becomes that of all paths through it. */
static void add_totals(struct making *m)
{
	struct stack_node *nodes = m->tree->nodes;

	for (uint32_t i = m->tree->nr; i-- > 0;)
		for (uint32_t side = 0; side < m->nr_sides; side++)
			if (nodes[i].parent != STACK_TREE_ROOT)
				stack_weight_add(&nodes[nodes[i].parent].total[side],
						 &nodes[i].total[side]);
}

int stack_tree_init(struct stack_tree *t, const struct stack_paths *paths, struct memory *memory)
{
	struct making m = {.tree = t, .nr_sides = paths->nr_sides};
	uint32_t longest = 1;
	int rc = 0;

	*t = (struct stack_tree){.memory = memory};
	for (size_t i = 0; i < paths->nr; i++)
		longest = paths->items[i].nr > longest ? paths->items[i].nr : longest;
	m.open = memory_new(memory, longest, sizeof(*m.open));
	t->of_path = memory_new(memory, paths->nr + 1, sizeof(*t->of_path));
	t->cap = (uint32_t)ts_min(ts_max(paths->nr_nodes, 1u), STACK_TREE_ROOT);
	t->nodes = memory_new(memory, t->cap, sizeof(*t->nodes));
	if (!m.open || !t->of_path || !t->nodes)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < paths->nr; i++) {
		rc = add_path(&m, &paths->items[i], paths->numbers + paths->items[i].first);
		if (!rc && paths->runs)
			take_runs(&m, paths->runs + paths->items[i].first);
		t->of_path[i] = m.nr_open ? m.open[m.nr_open - 1] : STACK_TREE_ROOT;
	}
	memory_free(m.open);
	if (!rc)
		add_totals(&m);
	if (rc)
		stack_tree_release(t);
	return rc;
}

void stack_tree_release(struct stack_tree *t)
{
	memory_free(t->nodes);
	memory_free(t->of_path);
	*t = (struct stack_tree){0};
}

void stack_tree_put_run(const struct stack_run *run, struct ts_bytes *out)
{
	if (run->most > 1 && run->least < run->most)
		ts_bytes_printf(out, " (%d to %d frames)", run->least, run->most);
	else if (run->most > 1)
		ts_bytes_printf(out, " (%d frames)", run->most);
}
