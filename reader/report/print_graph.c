// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "reader/runtime/text.h"

#define MARGIN "            "

struct drawing {
	const struct callgraph *g;
	const struct callgraph_style *style;
	unsigned int margin; /* blanks beyond MARGIN */
	bool *has_line;	     /* by depth: does the line go on below? */
	uint32_t cap_lines;
	bool failed;
	struct ts_bytes *out;
};

void print_graph_frame(const struct callgraph *g, uint32_t node,
		       const struct callgraph_style *style, struct ts_bytes *out)
{
	const struct frame *f = &g->table->aggregate->frames.items[g->nodes[node].frame];

	if (!f->symbol) {
		ts_bytes_printf(out, "%#" PRIx64, f->ip);
		return;
	}
	text_name(out, f->symbol->name, 0);
	if (style->by_address && !f->around)
		ts_bytes_printf(out, "+0x%" PRIx64, f->addr - f->symbol->start);
}

void print_graph_value(const struct callgraph_style *style, uint64_t period, uint64_t nr_samples,
		       uint64_t total, struct ts_bytes *out)
{
	switch (style->value) {
	case CALLGRAPH_PERIOD:
		ts_bytes_printf(out, "%" PRIu64, period);
		break;
	case CALLGRAPH_COUNT:
		ts_bytes_printf(out, "%" PRIu64, nr_samples);
		break;
	default:
		ts_bytes_printf(out, "%.2f%%",
				total ? (double)period * 100.0 / (double)total : 0.0);
		break;
	}
}

static void put_margin(struct drawing *d)
{
	text_put(d->out, MARGIN);
	for (unsigned int i = 0; i < d->margin; i++)
		text_char(d->out, ' ');
}

static void put_frame(struct drawing *d, uint32_t node)
{
	print_graph_frame(d->g, node, d->style, d->out);
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

/* Prints the line between two branches. */
static void put_gap(struct drawing *d, uint32_t depth)
{
	put_margin(d);
	for (uint32_t i = 0; i < depth; i++)
		text_put(d->out, d->has_line[i] ? "|          " : "           ");
	text_char(d->out, '\n');
}

/* Prints the lines of the branches above, up to the last one of `depth`. */
static void put_lines(struct drawing *d, uint32_t depth)
{
	put_margin(d);
	for (uint32_t i = 0; i < depth; i++) {
		text_char(d->out, d->has_line[i] ? '|' : ' ');
		if (i + 1 < depth)
			text_put(d->out, "          ");
	}
}

static void put_label(struct drawing *d, uint64_t period, uint64_t nr_samples, uint64_t total)
{
	text_put(d->out, "--");
	print_graph_value(d->style, period, nr_samples, total, d->out);
	text_put(d->out, "--");
}

/* Prints the frames of a run; the first one has the label. */
static void put_run(struct drawing *d, uint32_t first, uint32_t end, uint32_t depth, uint64_t total)
{
	const struct callgraph_node *nodes = d->g->nodes;

	for (uint32_t node = first;; node = nodes[node].first_child) {
		put_lines(d, depth);
		if (node == first)
			put_label(d, nodes[node].period, nodes[node].nr_samples, total);
		else
			text_put(d->out, "          ");
		put_frame(d, node);
		if (node == end)
			break;
	}
}

/* A fractal graph also prints the rest: the period on branches that are not shown. */
static void put_rest(struct drawing *d, uint32_t depth, uint64_t period, uint64_t nr_samples,
		     uint64_t total)
{
	if (d->style->type != CALLGRAPH_FRACTAL || !period || period == total)
		return;
	if (d->style->value == CALLGRAPH_COUNT && !nr_samples)
		return;
	d->has_line[depth - 1] = false;
	put_lines(d, depth);
	put_label(d, period, nr_samples, total);
	text_put(d->out, "[...]\n");
}

/* The total for the shares of the branches below a parent. */
static uint64_t total_below(const struct drawing *d, uint32_t parent, uint64_t total)
{
	const struct callgraph_node *n = &d->g->nodes[parent];

	return d->style->type == CALLGRAPH_FRACTAL ? n->period - n->end_period : total;
}

static void put_children(struct drawing *d, uint32_t parent, uint32_t depth, uint64_t total)
{
	const bool is_fractal = d->style->type == CALLGRAPH_FRACTAL;
	const struct callgraph_node *nodes = d->g->nodes;
	uint64_t left = total, nr_left = nodes[parent].nr_samples - nodes[parent].nr_end_samples;
	uint32_t nr_shown = 0;

	if (nodes[parent].first_child == CALLGRAPH_NONE || !make_lines(d, depth))
		return;
	d->has_line[depth - 1] = true;
	for (uint32_t c = nodes[parent].first_child; c != CALLGRAPH_NONE; c = nodes[c].next) {
		uint32_t end = callgraph_run_end(d->g, c);

		left -= nodes[c].period;
		nr_left -= nodes[c].nr_samples;
		put_gap(d, depth);
		if (nodes[c].next == CALLGRAPH_NONE && !(is_fractal && left))
			d->has_line[depth - 1] = false;
		put_run(d, c, end, depth, total);
		put_children(d, end, depth + 1, total_below(d, end, total));
		if (++nr_shown == d->style->print_limit)
			break;
	}
	put_rest(d, depth, left, nr_left, total);
}

/*
 * Draws a single path that holds the whole entry without a share: "---frame". Returns the node
 * whose children come next. As in perf, the limit of branches here is a limit of frames.
 */
static uint32_t put_single_way(struct drawing *d, uint64_t entry_period, bool skip_first)
{
	const struct callgraph_node *nodes = d->g->nodes;
	uint32_t first = nodes[0].first_child, end, nr_put = 0;

	if (first == CALLGRAPH_NONE || nodes[first].next != CALLGRAPH_NONE ||
	    nodes[first].period != entry_period)
		return 0;
	end = callgraph_run_end(d->g, first);
	for (uint32_t node = first;; node = nodes[node].first_child) {
		if (node != first || !skip_first) {
			put_margin(d);
			if (!nr_put) {
				text_put(d->out, "|\n");
				put_margin(d);
				text_put(d->out, "---");
				d->margin += 3;
			}
			put_frame(d, node);
			if (++nr_put == d->style->print_limit)
				return end;
		}
		if (node == end)
			return end;
	}
}

int print_graph(struct callgraph *g, const struct table_entry *entry,
		const struct graph_style *style, struct ts_bytes *out)
{
	const struct table *t = g->table;
	uint64_t entry_period =
		t->plan.children ? entry->sums.total_period : entry->sums.self_period;
	struct drawing d = {.g = g, .style = &style->callgraph, .out = out};
	size_t before = out->len;
	uint64_t total;

	if (callgraph_build(g, entry, &style->callgraph))
		return -ENOMEM;
	total = style->callgraph.type == CALLGRAPH_FRACTAL
			? entry_period
			: t->events[table_base(t, entry)->event].period;
	put_children(&d, put_single_way(&d, entry_period, style->skip_first), 1, total);
	if (out->len != before)
		text_char(out, '\n');
	free(d.has_line);
	return d.failed || ts_bytes_failed(out) ? -ENOMEM : 0;
}
