// SPDX-License-Identifier: Apache-2.0
#include "reader/print_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reader/callgraph.h"
#include "reader/print_graph.h"
#include "reader/text.h"

#define ADDRESS_DIGITS 16
#define NUMBER_WIDTH   8 /* of a share */
#define SAMPLES_WIDTH  12
#define COMM_MAX       64

struct widths {
	unsigned int keys[TABLE_NR_KEYS]; /* by key */
};

static const char *const titles[TABLE_NR_KEYS] = {
	[TABLE_COMM] = "Command",	 [TABLE_PID] = "    Pid:Command",
	[TABLE_TID] = "    Tid:Command", [TABLE_DSO] = "Shared Object",
	[TABLE_SYM] = "Symbol",		 [TABLE_CPU] = "CPU",
};

/* --- what a cell says --- */

/* The last name of the thread, as perf prints it beside its number. */
static const char *thread_comm(const struct report *r, uint32_t tid, char buf[COMM_MAX])
{
	const char *comm = ts_tasks_comm(r->tasks, tid, UINT64_MAX - 1);

	if (comm)
		return comm;
	if (!tid)
		return "swapper";
	snprintf(buf, COMM_MAX, ":%d", (int)tid);
	return buf;
}

/* A name on the left of `width` columns, or cut to it; 0: as it is. */
static void put_left(struct ts_bytes *out, const char *name, unsigned int width)
{
	size_t len = strnlen(name, width);

	text_name_n(out, name, len);
	for (; len < width; len++)
		text_char(out, ' ');
}

static void put_thread(const struct report *r, const struct table_entry *e, unsigned int width,
		       struct ts_bytes *out)
{
	char buf[COMM_MAX];

	ts_bytes_printf(out, "%7d:", (int)e->tid);
	put_left(out, thread_comm(r, e->first_tid, buf), width - 8);
}

static unsigned int put_sym(const struct table_entry *e, struct ts_bytes *out)
{
	const struct frame *f = &e->frame;
	size_t before = out->len;

	ts_bytes_printf(out, "[%c] ", f->level);
	if (f->symbol)
		text_name(out, f->symbol->name, 0);
	else
		ts_bytes_printf(out, "%-#.*" PRIx64, ADDRESS_DIGITS, f->addr);
	return (unsigned int)(out->len - before);
}

static void put_cell(const struct report *r, const struct table_entry *e, enum table_key key,
		     unsigned int width, bool is_last, struct ts_bytes *out)
{
	unsigned int len;

	switch (key) {
	case TABLE_COMM:
		put_left(out, r->table->aggregate->comms.items[e->comm], width);
		break;
	case TABLE_PID:
	case TABLE_TID:
		put_thread(r, e, width, out);
		break;
	case TABLE_DSO:
		put_left(out, table_dso_name(&e->frame), width);
		break;
	case TABLE_SYM:
		len = put_sym(e, out);
		for (; !is_last && len < width; len++)
			text_char(out, ' ');
		break;
	case TABLE_CPU:
		ts_bytes_printf(out, "%*.*d", (int)width, (int)width, (int)e->cpu);
		break;
	default:
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
	const struct frame *f = &e->frame;
	char buf[COMM_MAX];
	size_t comm = strlen(thread_comm(r, e->first_tid, buf));

	widen(&w->keys[TABLE_COMM], comm);
	if (r->table->aggregate->comms.nr)
		widen(&w->keys[TABLE_COMM], strlen(r->table->aggregate->comms.items[e->comm]));
	widen(&w->keys[TABLE_PID], comm + 8);
	widen(&w->keys[TABLE_TID], comm + 8);
	widen(&w->keys[TABLE_SYM], f->symbol ? strlen(f->symbol->name) + 4 : ADDRESS_DIGITS + 6);
	if (!f->symbol)
		widen(&w->keys[TABLE_DSO], ADDRESS_DIGITS);
	if (f->module)
		widen(&w->keys[TABLE_DSO], strlen(f->module->short_name));
}

static void find_widths(const struct report *r, const struct table_event *event, struct widths *w)
{
	for (size_t i = 0; i < TABLE_NR_KEYS; i++)
		w->keys[i] = (unsigned int)strlen(titles[i]);
	for (size_t i = 0; i < event->nr; i++)
		widen_for(r, &r->table->entries[event->first + i], w);
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

static void put_event(const struct report *r, uint32_t event, struct ts_bytes *out)
{
	const struct table_event *e = &r->table->events[event];

	put_count(e->nr_samples, out);
	text_put(out, " of event '");
	text_name(out, r->events->items[event].name, 0);
	ts_bytes_printf(out, "'\n# Event count (approx.): %" PRIu64 "\n#\n", e->period);
}

static void put_dots(unsigned int nr, struct ts_bytes *out)
{
	while (nr--)
		text_char(out, '.');
}

static void put_titles(const struct report *r, const struct widths *w, struct ts_bytes *out)
{
	const struct table_plan *plan = &r->table->plan;

	text_put(out, "# ");
	ts_bytes_printf(out, "%*s", NUMBER_WIDTH, plan->children ? "Children" : "Overhead");
	if (plan->children)
		ts_bytes_printf(out, "  %*s", NUMBER_WIDTH, "Self");
	if (r->style.show_samples)
		ts_bytes_printf(out, "  %*s", SAMPLES_WIDTH, "Samples");
	for (size_t i = 0; i < plan->nr_keys; i++)
		ts_bytes_printf(out, "  %-*s", (int)w->keys[plan->keys[i]], titles[plan->keys[i]]);
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
		text_put(out, "  ");
		put_dots(w->keys[plan->keys[i]], out);
	}
	text_put(out, "\n#\n");
}

/* --- rows --- */

static void put_share(uint64_t period, uint64_t total, struct ts_bytes *out)
{
	double share = total ? 100.0 * (double)period / (double)total : 0.0;

	ts_bytes_printf(out, "   %*.2f%%", NUMBER_WIDTH - 2, share);
}

static void put_row(const struct report *r, const struct table_entry *e, const struct widths *w,
		    struct ts_bytes *out)
{
	const struct table_plan *plan = &r->table->plan;
	uint64_t total = r->table->events[e->event].period;

	if (plan->children)
		put_share(e->total_period, total, out);
	put_share(e->self_period, total, out);
	if (r->style.show_samples)
		ts_bytes_printf(out, "   %*" PRIu64, SAMPLES_WIDTH - 1, e->self_samples);
	for (size_t i = 0; i < plan->nr_keys; i++) {
		text_put(out, "  ");
		put_cell(r, e, plan->keys[i], w->keys[plan->keys[i]], i + 1 == plan->nr_keys, out);
	}
	text_char(out, '\n');
}

static int put_graph(const struct report *r, struct callgraph *g, const struct table_entry *e,
		     struct ts_bytes *out)
{
	int rc;

	if (!e->nr_refs)
		return 0;
	rc = callgraph_build(g, e, table_least(r->table, e->event, r->style.min_share));
	if (rc)
		return rc;
	return print_graph(g, r->table->plan.children ? e->total_period : e->self_period,
			   r->table->events[e->event].period, r->style.skip_first, out);
}

static bool has_callchains(const struct report *r, uint32_t event)
{
	return r->events->items[event].attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

int print_report_event(const struct report *r, uint32_t event, struct ts_bytes *out)
{
	const struct table_event *e = &r->table->events[event];
	struct widths w;
	struct callgraph g;
	int rc = 0;

	if (!e->nr_samples)
		return 0;
	find_widths(r, e, &w);
	if (!r->style.quiet) {
		put_event(r, event, out);
		put_titles(r, &w, out);
	}
	callgraph_init(&g, r->table);
	for (size_t i = 0; !rc && i < e->nr; i++) {
		const struct table_entry *entry = &r->table->entries[e->first + i];

		put_row(r, entry, &w, out);
		if (r->style.show_graphs && has_callchains(r, event))
			rc = put_graph(r, &g, entry, out);
	}
	callgraph_release(&g);
	text_put(out, "\n\n");
	return rc || ts_bytes_failed(out) ? -ENOMEM : 0;
}
