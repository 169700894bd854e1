// SPDX-License-Identifier: Apache-2.0
#include "reader/print_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/number.h"
#include "reader/callgraph.h"
#include "reader/text.h"

#define ADDRESS_DIGITS 16
#define NUMBER_WIDTH   8 /* of a share */
#define SAMPLES_WIDTH  12
#define TIME_WIDTH     12

struct widths {
	unsigned int keys[TABLE_NR_KEYS]; /* by key */
};

static const char *const titles[] = {
	[TABLE_COMM] = "Command",	 [TABLE_PID] = "    Pid:Command",
	[TABLE_TID] = "    Tid:Command", [TABLE_DSO] = "Shared Object",
	[TABLE_SYM] = "Symbol",
};

static const char *const tag_titles[] = {
	[TAG_CPU] = "CPU",   [TAG_SOCKET] = "Socket",	   [TAG_NODE] = "Node",
	[TAG_TIME] = "Time", [TAG_CGROUP] = "Cgroup",	   [TAG_EVENT] = "Event",
	[TAG_HOST] = "Host", [TAG_TRACE] = "Trace output",
};

/* The column of the tags that a key is; NULL: it is another one. */
static const struct tag_column *column_of(const struct report *r, enum table_key key)
{
	return key < TABLE_TAG ? NULL : &r->table->aggregate->tags.plan->columns[key - TABLE_TAG];
}

static const char *title_of(const struct report *r, enum table_key key)
{
	const struct tag_column *column;

	if (key < TABLE_TAG)
		return titles[key];
	column = column_of(r, key);
	return column->kind == TAG_FIELD ? column->name : tag_titles[column->kind];
}

/* Has an event's table this column? The fields of other tracepoints are none of its own. */
static bool has_column(const struct report *r, uint32_t event, enum table_key key)
{
	const struct tag_column *column = column_of(r, key);

	if (r->style.is_hidden[key])
		return false;
	return !column || column->kind != TAG_FIELD || column->event == event ||
	       r->style.is_one_event;
}

/* --- what a cell says --- */

/* The last name of the thread, as perf prints it beside its number. */
static const char *thread_comm(const struct report *r, const struct table_entry *e,
			       char buf[UNNAMED_MAX])
{
	const char *comm = ts_tasks_last_comm(r->tasks, e->first_tid, e->first_ns);

	return comm ? comm : names_unnamed(e->first_tid, buf);
}

/* A name on the left of `width` columns, or cut to it; 0: as it is. */
static void put_left(struct ts_bytes *out, const char *name, unsigned int width)
{
	static const char blanks[64] =
		"                                                               ";
	size_t len = strnlen(name, width);

	text_name_n(out, name, len);
	for (size_t n; len < width; len += n) {
		n = width - len < sizeof(blanks) - 1 ? width - len : sizeof(blanks) - 1;
		ts_bytes_put(out, blanks, n);
	}
}

static void put_thread(const struct report *r, const struct table_entry *e, unsigned int width,
		       struct ts_bytes *out)
{
	char buf[UNNAMED_MAX];

	ts_bytes_printf(out, "%7d:", (int)table_base(r->table, e)->tid);
	put_left(out, thread_comm(r, e, buf), width - 8);
}

static unsigned int put_sym(const struct report *r, const struct table_entry *e,
			    struct ts_bytes *out)
{
	const struct frame *f = table_frame(r->table, e);
	size_t before = out->len;

	ts_bytes_printf(out, "[%c] ", f->level);
	if (f->symbol)
		text_name(out, f->symbol->name, 0);
	else
		ts_bytes_printf(out, "%-#.*" PRIx64, ADDRESS_DIGITS, e->addr);
	return (unsigned int)(out->len - before);
}

static void put_time(const struct report *r, uint64_t ns, unsigned int width, struct ts_bytes *out)
{
	char text[40];

	if (r->style.nanoseconds)
		snprintf(text, sizeof(text), "%llu.%09llu", ns / TS_NS_PER_SEC, ns % TS_NS_PER_SEC);
	else
		snprintf(text, sizeof(text), "%llu.%06llu", ns / TS_NS_PER_SEC,
			 ns % TS_NS_PER_SEC / 1000);
	ts_bytes_printf(out, "%*s", (int)width, text);
}

static void put_tag(const struct report *r, uint32_t tag, enum table_key key, unsigned int width,
		    struct ts_bytes *out)
{
	const struct tags *tags = &r->table->aggregate->tags;
	uint64_t value = tags_value(tags, tag, key - TABLE_TAG);

	switch (column_of(r, key)->kind) {
	case TAG_CPU:
		ts_bytes_printf(out, "%*.3d", (int)width, (int)value);
		break;
	case TAG_SOCKET:
		ts_bytes_printf(out, "%*.3d", (int)width, (int)value);
		break;
	case TAG_NODE:
		ts_bytes_printf(out, "%*d", (int)width, (int)value);
		break;
	case TAG_TIME:
		put_time(r, value, width, out);
		break;
	case TAG_FIELD:
		text_name(out, tags_text(tags, tag, key - TABLE_TAG), width);
		break;
	case TAG_CGROUP:
	case TAG_EVENT:
	case TAG_HOST:
	case TAG_TRACE:
		put_left(out, tags_text(tags, tag, key - TABLE_TAG), width);
		break;
	}
}

static void put_cell(const struct report *r, const struct table_entry *e, enum table_key key,
		     unsigned int width, bool is_last, struct ts_bytes *out)
{
	const struct grouping_base *base = table_base(r->table, e);
	unsigned int len;

	switch (key) {
	case TABLE_COMM:
		put_left(out, r->table->aggregate->comms.items[base->comm], width);
		break;
	case TABLE_PID:
	case TABLE_TID:
		put_thread(r, e, width, out);
		break;
	case TABLE_DSO:
		put_left(out, table_dso_name(table_frame(r->table, e)), width);
		break;
	case TABLE_SYM:
		len = put_sym(r, e, out);
		for (; !is_last && len < width; len++)
			text_char(out, ' ');
		break;
	default:
		put_tag(r, base->tag, key, width, out);
		break;
	}
}

/* --- widths --- */

static void widen(unsigned int *width, size_t len)
{
	if (len > *width)
		*width = (unsigned int)len;
}

static void widen_for(const struct report *r, const struct table_entry *e, struct widths *w)
{
	const struct names *comms = &r->table->aggregate->comms;
	const struct tags *tags = &r->table->aggregate->tags;
	const struct frame *f = table_frame(r->table, e);
	char buf[UNNAMED_MAX];
	size_t comm = strlen(thread_comm(r, e, buf));

	widen(&w->keys[TABLE_COMM], comm);
	if (comms->nr)
		widen(&w->keys[TABLE_COMM], strlen(comms->items[table_base(r->table, e)->comm]));
	widen(&w->keys[TABLE_PID], comm + 8);
	widen(&w->keys[TABLE_TID], comm + 8);
	widen(&w->keys[TABLE_SYM], f->symbol ? strlen(f->symbol->name) + 4 : ADDRESS_DIGITS + 6);
	if (!f->symbol)
		widen(&w->keys[TABLE_DSO], ADDRESS_DIGITS);
	if (f->module)
		widen(&w->keys[TABLE_DSO], strlen(f->module->short_name));
	for (size_t i = 0; tags->plan && i < tags->plan->nr; i++)
		if (tag_is_text(tags->plan->columns[i].kind))
			widen(&w->keys[TABLE_TAG + i],
			      strlen(tags_text(tags, table_base(r->table, e)->tag, i)));
}

static unsigned int least_width(const struct report *r, enum table_key key)
{
	const struct tag_column *column = column_of(r, key);
	size_t len = strlen(title_of(r, key));

	if (column && column->kind == TAG_TIME)
		len = r->style.nanoseconds ? TIME_WIDTH + 4 : TIME_WIDTH;
	if (column && column->kind == TAG_FIELD)
		len = ts_max(column->width, len);
	return (unsigned int)len;
}

static void find_widths(const struct report *r, const struct table_event *event, struct widths *w)
{
	const struct table_plan *plan = &r->table->plan;

	*w = (struct widths){0};
	for (size_t i = 0; i < plan->nr_keys; i++)
		w->keys[plan->keys[i]] = least_width(r, plan->keys[i]);
	for (size_t i = 0; i < event->nr; i++)
		widen_for(r, r->table->order[event->first + i].entry, w);
}

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

/* As perf has it of a group where the table is of all events. */
static void put_event_names(const struct report *r, uint32_t event, struct ts_bytes *out)
{
	bool is_all = r->style.is_one_event && r->events->nr > 1;
	size_t end = is_all ? r->events->nr : event + 1;

	text_put(out, is_all ? " of events '" : " of event '");
	for (size_t i = event; i < end; i++) {
		text_put(out, i > event ? ", " : "");
		text_name(out, r->events->items[i].name, 0);
	}
	text_char(out, '\'');
}

static void put_event(const struct report *r, uint32_t event, struct ts_bytes *out)
{
	const struct table_event *e = &r->table->events[event];

	put_count(e->nr_samples, out);
	put_event_names(r, event, out);
	if (r->style.times) {
		text_put(out, " (time slices: ");
		text_name(out, r->style.times, 0);
		text_char(out, ')');
	}
	ts_bytes_printf(out, "\n# Event count (approx.): %" PRIu64 "\n#\n", e->period);
}

static void put_dots(unsigned int nr, struct ts_bytes *out)
{
	while (nr--)
		text_char(out, '.');
}

/* Fields of tracepoints stand on the right. */
static void put_title(const struct report *r, enum table_key key, unsigned int width,
		      struct ts_bytes *out)
{
	const struct tag_column *column = column_of(r, key);
	bool is_right = column && column->kind == TAG_FIELD;

	ts_bytes_printf(out, is_right ? "  %*s" : "  %-*s", (int)width, title_of(r, key));
}

static void put_titles(const struct report *r, uint32_t event, const struct widths *w,
		       struct ts_bytes *out)
{
	const struct table_plan *plan = &r->table->plan;

	text_put(out, "# ");
	ts_bytes_printf(out, "%*s", NUMBER_WIDTH, plan->children ? "Children" : "Overhead");
	if (plan->children)
		ts_bytes_printf(out, "  %*s", NUMBER_WIDTH, "Self");
	if (r->style.show_samples)
		ts_bytes_printf(out, "  %*s", SAMPLES_WIDTH, "Samples");
	for (size_t i = 0; i < plan->nr_keys; i++)
		if (has_column(r, event, plan->keys[i]))
			put_title(r, plan->keys[i], w->keys[plan->keys[i]], out);
	text_put(out, "\n# ");
	put_dots(NUMBER_WIDTH, out);
	if (plan->children) {
		text_put(out, "  ");
		put_dots(NUMBER_WIDTH, out);
	}
	if (r->style.show_samples) {
		text_put(out, "  ");
		put_dots(SAMPLES_WIDTH, out);
	}
	for (size_t i = 0; i < plan->nr_keys; i++) {
		if (!has_column(r, event, plan->keys[i]))
			continue;
		text_put(out, "  ");
		put_dots(w->keys[plan->keys[i]], out);
	}
	text_put(out, "\n#\n");
}

/* --- rows --- */

static void put_share(uint64_t period, uint64_t total, struct ts_bytes *out)
{
	double share = total ? 100.0 * (double)period / (double)total : 0.0;
	uint64_t hundredths = (uint64_t)(share * 100 + 0.5);

	/* Printing is a good part of a report; only what stands near a tie needs printf's care. */
	if (share < 0 || share > 1000 || fabs(share * 100 + 0.5 - (double)hundredths) < 1e-6 ||
	    fabs(share * 100 - 0.5 - (double)hundredths) < 1e-6) {
		ts_bytes_printf(out, "   %*.2f%%", NUMBER_WIDTH - 2, share);
		return;
	}
	text_put(out, "   ");
	text_dec(out, hundredths / 100, NUMBER_WIDTH - 5, ' ');
	text_char(out, '.');
	text_dec(out, hundredths % 100, 2, '0');
	text_char(out, '%');
}

static void put_row(const struct report *r, const struct table_entry *e, const struct widths *w,
		    struct ts_bytes *out)
{
	const struct table_plan *plan = &r->table->plan;
	uint32_t event = table_base(r->table, e)->event;
	uint64_t total = r->table->events[event].period;

	if (plan->children)
		put_share(e->total_period, total, out);
	put_share(e->self_period, total, out);
	if (r->style.show_samples)
		ts_bytes_printf(out, "   %*" PRIu64, SAMPLES_WIDTH - 1, e->self_samples);
	for (size_t i = 0; i < plan->nr_keys; i++) {
		if (!has_column(r, event, plan->keys[i]))
			continue;
		text_put(out, "  ");
		put_cell(r, e, plan->keys[i], w->keys[plan->keys[i]], i + 1 == plan->nr_keys, out);
	}
	text_char(out, '\n');
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
	struct widths widths;
	bool with_graphs;
};

static int put_entry(const void *arg, struct callgraph *g, const struct table_entry *entry,
		     size_t row, struct ts_bytes *out)
{
	const struct row_style *s = arg;

	(void)row;
	put_row(s->report, entry, &s->widths, out);
	return s->with_graphs && entry->nr_refs
		       ? print_graph(g, entry, &s->report->style.graph, out)
		       : 0;
}

int print_report_event(const struct report *r, uint32_t event, report_sink_fn sink, void *sink_arg)
{
	const struct table_event *e = &r->table->events[event];
	struct row_style style = {.report = r,
				  .with_graphs = r->style.show_graphs && has_callchains(r, event)};
	struct ts_bytes text = {0};
	int rc = 0;

	if (!e->nr_samples)
		return 0;
	find_widths(r, e, &style.widths);
	if (!r->style.quiet) {
		put_event(r, event, &text);
		put_titles(r, event, &style.widths, &text);
		rc = sink(sink_arg, &text);
	}
	if (!rc)
		rc = print_rows(r->table, event, put_entry, &style, sink, sink_arg);
	ts_bytes_clear(&text);
	text_put(&text, "\n\n");
	if (!rc)
		rc = sink(sink_arg, &text);
	ts_bytes_release(&text);
	return rc;
}
