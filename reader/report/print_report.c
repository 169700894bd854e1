// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reader/report/print_chains.h"
#include "reader/report/print_graph.h"
#include "reader/report/print_hierarchy.h"
#include "reader/rows/callgraph.h"
#include "reader/runtime/text.h"

/* --- head --- */

void print_report_top(uint64_t nr_lost, struct ts_bytes *out)
{
	text_put(out, "#\n");
	ts_bytes_printf(out, "# Total Lost Samples: %" PRIu64 "\n#\n", nr_lost);
}

static void put_count(uint64_t count, struct ts_bytes *out)
{
	static const char units[] = " KMG";
	int unit = 0;

	while (count > 1000 && units[unit + 1]) {
		count /= 1000;
		unit++;
	}
	ts_bytes_printf(out, "# Samples: %" PRIu64 "%c", count, units[unit]);
}

/* As perf names a group; also used if one table has all events. */
static void put_event_names(const struct report *r, uint32_t event, struct ts_bytes *out)
{
	struct event_group group = event_group_of(r->table->plan.groups, event);

	if (r->style.is_one_event)
		group.nr = (uint32_t)r->events->nr;
	text_put(out, group.nr > 1 ? " of events '" : " of event '");
	if (group.nr > 1 && group.name) {
		text_name(out, group.name, 0);
		text_put(out, " { ");
	}
	for (uint32_t i = 0; i < group.nr; i++) {
		text_put(out, i ? ", " : "");
		text_name(out, r->events->items[event + i].name, 0);
	}
	text_put(out, group.nr > 1 && group.name ? " }'" : "'");
}

static void put_event(const struct report *r, uint32_t event, struct ts_bytes *out)
{
	const struct table_sums sums = table_event_sums(r->table, event);

	put_count(sums.self_samples, out);
	put_event_names(r, event, out);
	if (r->style.times) {
		text_put(out, " (time slices: ");
		text_name(out, r->style.times, 0);
		text_char(out, ')');
	}
	ts_bytes_printf(out, "\n# Event count (approx.): %" PRIu64 "\n#\n", sums.self_period);
}

static bool has_callchains(const struct report *r, uint32_t event)
{
	bool has_some = false;

	for (size_t i = 0; i < r->events->nr; i++)
		if (i == event || r->style.is_one_event)
			has_some |= r->events->items[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	return has_some;
}

struct row_style { /* shared by the threads that make rows */
	const struct report *report;
	struct hierarchy_style nested; /* its widths are used even if rows are not nested */
	bool with_graphs;
};

/* Prints the call graph below a row: a drawing or a list. */
static int put_calls(const struct graph_style *style, struct callgraph *g,
		     const struct table_entry *entry, struct ts_bytes *out)
{
	const enum callgraph_type type = style->callgraph.type;

	return type == CALLGRAPH_FLAT || type == CALLGRAPH_FOLDED
		       ? print_chains(g, entry, &style->callgraph, out)
		       : print_graph(g, entry, style, out);
}

static int put_row(const void *arg, struct callgraph *g, const struct table_row *row, size_t index,
		   struct ts_bytes *out)
{
	const struct row_style *s = arg;
	const struct table_entry *entry = row->entry;

	if (!report_shows(s->report, entry))
		return 0;
	if (s->report->table->plan.is_nested) {
		print_hierarchy(s->report, row, &s->nested, out);
		print_hierarchy_end(s->report, row, index, &s->nested, out);
	} else {
		print_columns(s->report, entry, &s->nested.widths, out);
	}
	return s->with_graphs && entry->nr_refs ? put_calls(&s->report->style.graph, g, entry, out)
						: 0;
}

int print_report_event(const struct report *r, uint32_t event, report_sink_fn sink, void *sink_arg)
{
	struct row_style style = {.report = r,
				  .with_graphs = r->style.show_graphs && has_callchains(r, event)};
	struct ts_bytes text = {0};
	int rc = 0;

	if (!table_event_sums(r->table, event).self_samples)
		return 0;
	hierarchy_style_find(&style.nested, r, event);
	if (!r->style.quiet) {
		put_event(r, event, &text);
		if (r->table->plan.is_nested)
			print_hierarchy_titles(r, event, &style.nested, &text);
		else
			print_column_titles(r, event, &style.nested.widths, &text);
		rc = sink(sink_arg, &text);
	}
	if (!rc)
		rc = print_rows(r->table, event, put_row, &style, sink, sink_arg);
	ts_bytes_clear(&text);
	text_put(&text, "\n\n");
	if (!rc)
		rc = sink(sink_arg, &text);
	ts_bytes_release(&text);
	return rc;
}
