// SPDX-License-Identifier: Apache-2.0
#include "reader/print_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "reader/text.h"

#define MARGIN "            "

struct drawing {
	const struct callgraph *g;
	uint64_t total;
	unsigned int margin; /* blanks beyond MARGIN */
	bool *has_line;	     /* by depth: does the line of that depth go on below? */
	uint32_t cap_lines;
	bool failed;
	struct ts_bytes *out;
};

static void put_margin(struct drawing *d)
{
	text_put(d->out, MARGIN);
	for (unsigned int i = 0; i < d->margin; i++)
		text_char(d->out, ' ');
}

static void put_frame(struct drawing *d, uint32_t node)
{
	uint32_t frame = d->g->nodes[node].frame;
	const struct frame *f = &d->g->table->aggregate->frames.items[frame];

	if (f->symbol)
		text_name(d->out, f->symbol->name, 0);
	else
		ts_bytes_printf(d->out, "%#" PRIx64, f->ip);
	text_char(d->out, '\n');
}

static bool make_lines(struct drawing *d, uint32_t depth)
{
	bool *lines;

	if (depth < d->cap_lines)
		return true;
	lines = realloc(d->has_line, 2 * ((size_t)depth + 8) * sizeof(*lines));
	if (!lines) {
		d->failed = true;
		return false;
	}
	d->has_line = lines;
	d->cap_lines = 2 * (depth + 8);
	return true;
}

/* The line between two branches. */
static void put_gap(struct drawing *d, uint32_t depth)
{
	put_margin(d);
	for (uint32_t i = 0; i < depth; i++)
		text_put(d->out, d->has_line[i] ? "|          " : "           ");
	text_char(d->out, '\n');
}

/* One frame of a run; the first one carries the share. */
static void put_row(struct drawing *d, uint32_t node, uint32_t depth, bool is_first,
		    uint64_t period)
{
	put_margin(d);
	for (uint32_t i = 0; i < depth; i++) {
		text_char(d->out, d->has_line[i] ? '|' : ' ');
		if (is_first && i == depth - 1)
			ts_bytes_printf(d->out, "--%.2f%%--",
					d->total ? (double)period * 100.0 / (double)d->total : 0.0);
		else
			text_put(d->out, "          ");
	}
	put_frame(d, node);
}

static void put_children(struct drawing *d, uint32_t parent, uint32_t depth)
{
	const struct callgraph_node *nodes = d->g->nodes;

	if (nodes[parent].first_child == CALLGRAPH_NONE || !make_lines(d, depth))
		return;
	d->has_line[depth - 1] = true;
	for (uint32_t c = nodes[parent].first_child; c != CALLGRAPH_NONE; c = nodes[c].next) {
		uint32_t end = callgraph_run_end(d->g, c), node = c;

		put_gap(d, depth);
		if (nodes[c].next == CALLGRAPH_NONE)
			d->has_line[depth - 1] = false;
		for (;; node = nodes[node].first_child) {
			put_row(d, node, depth, node == c, nodes[c].period);
			if (node == end)
				break;
		}
		put_children(d, end, depth + 1);
	}
}

/*
 * A single way that holds the whole entry is drawn without a share: "---frame". Returns the node
 * whose children come next, and the depth of the drawing.
 */
static uint32_t put_single_way(struct drawing *d, uint64_t entry_period, bool skip_first)
{
	const struct callgraph_node *nodes = d->g->nodes;
	uint32_t first = nodes[0].first_child, end, node = first;
	bool is_begun = false;

	if (first == CALLGRAPH_NONE || nodes[first].next != CALLGRAPH_NONE ||
	    nodes[first].period != entry_period)
		return 0;
	end = callgraph_run_end(d->g, first);
	for (;; node = nodes[node].first_child) {
		if (node != first || !skip_first) {
			put_margin(d);
			if (!is_begun) {
				text_put(d->out, "|\n");
				put_margin(d);
				text_put(d->out, "---");
				d->margin += 3;
				is_begun = true;
			}
			put_frame(d, node);
		}
		if (node == end)
			return end;
	}
}

int print_graph(const struct callgraph *g, uint64_t entry_period, uint64_t total, bool skip_first,
		struct ts_bytes *out)
{
	struct drawing d = {.g = g, .total = total, .out = out};
	size_t before = out->len;

	put_children(&d, put_single_way(&d, entry_period, skip_first), 1);
	if (out->len != before)
		text_char(out, '\n');
	free(d.has_line);
	return d.failed || ts_bytes_failed(out) ? -ENOMEM : 0;
}
