// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_chains.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/report/print_graph.h"
#include "reader/runtime/text.h"

struct path { /* nodes of one callchain, the last frame first */
	uint32_t *nodes;
	uint32_t nr, cap;
};

static int find_path(const struct callgraph *g, uint32_t end, struct path *p)
{
	p->nr = 0;
	for (uint32_t node = end; node; node = g->nodes[node].parent) {
		if (p->nr == p->cap) {
			uint32_t cap = p->cap ? 2 * p->cap : 128;
			uint32_t *nodes = realloc(p->nodes, cap * sizeof(*nodes));

			if (!nodes)
				return -ENOMEM;
			p->nodes = nodes;
			p->cap = cap;
		}
		p->nodes[p->nr++] = node;
	}
	return 0;
}

/*
 * perf sorts both types by the period that ends at the node. It labels flat ones with the period
 * that goes through it.
 */
static void put_label(const struct callgraph *g, const struct callgraph_node *end,
		      const struct table_entry *entry, const struct callgraph_style *style,
		      struct ts_bytes *out)
{
	uint64_t total = g->table->events[table_base(g->table, entry)->event].period;

	if (style->type == CALLGRAPH_FOLDED) {
		print_graph_value(style, end->end_period, end->nr_end_samples, total, out);
		text_char(out, ' ');
		return;
	}
	text_put(out, "           ");
	print_graph_value(style, end->period, end->nr_samples, total, out);
	text_char(out, '\n');
}

/* A name with the separator would read as two frames; in rows, too, '.' takes its place. */
static void replace_separator(struct ts_bytes *out, size_t from, char separator)
{
	for (size_t i = from; i < out->len; i++)
		if (out->data[i] == (uint8_t)separator)
			out->data[i] = '.';
}

static void put_path(const struct callgraph *g, const struct path *p,
		     const struct callgraph_style *style, struct ts_bytes *out)
{
	const bool is_folded = style->type == CALLGRAPH_FOLDED;
	const char *separator = style->separator ? style->separator : ";";

	for (uint32_t i = p->nr; i-- > 0;) {
		size_t from;

		text_put(out, is_folded ? i + 1 < p->nr ? separator : "" : "                ");
		from = out->len;
		print_graph_frame(g, p->nodes[i], style, out);
		if (is_folded)
			replace_separator(out, from, *separator);
		else
			text_char(out, '\n');
	}
	text_char(out, '\n');
}

int print_chains(struct callgraph *g, const struct table_entry *entry,
		 const struct callgraph_style *style, struct ts_bytes *out)
{
	int64_t nr = callgraph_list(g, entry, style);
	struct path path = {0};
	int rc = 0;

	if (nr < 0)
		return -ENOMEM;
	if (style->print_limit && nr > style->print_limit)
		nr = style->print_limit;
	for (int64_t i = 0; !rc && i < nr; i++) {
		rc = find_path(g, g->order[i], &path);
		if (rc)
			break;
		put_label(g, &g->nodes[g->order[i]], entry, style, out);
		put_path(g, &path, style, out);
	}
	free(path.nodes);
	return rc || ts_bytes_failed(out) ? -ENOMEM : 0;
}
