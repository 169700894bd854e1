// SPDX-License-Identifier: Apache-2.0
/*
 * Call graphs as JSON. A node is a run of frames without a branch between them, as in the drawing,
 * with the nodes below it. For types flat and folded the graph is a list of callchains.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader/report/print_graph.h"
#include "reader/report/print_json.h"

struct tree {
	struct json *j;
	const struct callgraph *g;
	const struct callgraph_style *style;
	struct ts_bytes name; /* scratch */
};

static void put_frame(struct tree *t, uint32_t node)
{
	ts_bytes_clear(&t->name);
	print_graph_frame(t->g, node, t->style, &t->name);
	json_text_n(t->j, NULL, (const char *)t->name.data, t->name.len);
}

static void put_weight(struct tree *t, uint64_t period, uint64_t nr_samples, uint64_t total)
{
	json_real(t->j, "percent", total ? 100.0 * (double)period / (double)total : 0.0);
	json_u64(t->j, "period", period);
	json_u64(t->j, "samples", nr_samples);
}

/* Prints the branches below a node; shares are of `total`. */
static void put_branches(struct tree *t, uint32_t parent, uint64_t total)
{
	const struct callgraph_node *nodes = t->g->nodes;
	uint32_t nr = 0;

	if (nodes[parent].first_child == CALLGRAPH_NONE)
		return;
	json_open(t->j, "calls", '[');
	for (uint32_t c = nodes[parent].first_child; c != CALLGRAPH_NONE; c = nodes[c].next) {
		uint32_t end = callgraph_run_end(t->g, c);
		uint64_t below = nodes[end].period - nodes[end].end_period;

		json_open(t->j, NULL, '{');
		put_weight(t, nodes[c].period, nodes[c].nr_samples, total);
		json_open(t->j, "frames", '[');
		for (uint32_t node = c;; node = nodes[node].first_child) {
			put_frame(t, node);
			if (node == end)
				break;
		}
		json_close(t->j, ']');
		put_branches(t, end, t->style->type == CALLGRAPH_FRACTAL ? below : total);
		json_close(t->j, '}');
		if (++nr == t->style->print_limit)
			break;
	}
	json_close(t->j, ']');
}

/* Prints the frames of a callchain, from the root of the tree on. */
static int put_path(struct tree *t, uint32_t end)
{
	uint32_t nr = 0, *path;

	for (uint32_t node = end; node; node = t->g->nodes[node].parent)
		nr++;
	path = malloc((nr + 1) * sizeof(*path));
	if (!path)
		return -ENOMEM;
	nr = 0;
	for (uint32_t node = end; node; node = t->g->nodes[node].parent)
		path[nr++] = node;
	while (nr)
		put_frame(t, path[--nr]);
	free(path);
	return 0;
}

static int put_chains(struct tree *t, int64_t nr, uint64_t total)
{
	int rc = 0;

	if (t->style->print_limit && nr > t->style->print_limit)
		nr = t->style->print_limit;
	json_open(t->j, "calls", '[');
	for (int64_t i = 0; !rc && i < nr; i++) {
		const struct callgraph_node *end = &t->g->nodes[t->g->order[i]];

		json_open(t->j, NULL, '{');
		put_weight(t, end->end_period, end->nr_end_samples, total);
		json_open(t->j, "frames", '[');
		rc = put_path(t, t->g->order[i]);
		json_close(t->j, ']');
		json_close(t->j, '}');
	}
	json_close(t->j, ']');
	return rc;
}

int print_json_graph(struct json *j, struct callgraph *g, const struct table_entry *entry,
		     const struct callgraph_style *style)
{
	struct tree t = {.j = j, .g = g, .style = style};
	uint64_t total = g->table->events[table_base(g->table, entry)->event].period;
	int64_t nr = 0;
	int rc = 0;

	if (style->type == CALLGRAPH_FLAT || style->type == CALLGRAPH_FOLDED) {
		nr = callgraph_list(g, entry, style);
		rc = nr < 0 ? -ENOMEM : put_chains(&t, nr, total);
	} else {
		rc = callgraph_build(g, entry, style);
		if (style->type == CALLGRAPH_FRACTAL)
			total = g->table->plan.children ? entry->sums.total_period
							: entry->sums.self_period;
		if (!rc)
			put_branches(&t, 0, total);
	}
	if (ts_bytes_failed(&t.name))
		rc = -ENOMEM;
	ts_bytes_release(&t.name);
	return rc;
}
