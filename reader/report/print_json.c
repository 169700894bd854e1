// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/report/print_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "reader/runtime/text.h"

#define NAME_BYTES 256

static double percent_of(uint64_t period, uint64_t total)
{
	return total ? 100.0 * (double)period / (double)total : 0.0;
}

/* --- keys --- */

static const struct sample_tag_column *column_of(const struct report *r, enum table_key key)
{
	return key < TABLE_TAG ? NULL : &r->table->aggregate->tags.plan->columns[key - TABLE_TAG];
}

/*
 * The name of a key as on the command line. If a table has fields of several tracepoints, the name
 * of the event is added.
 */
static const char *name_of(const struct report *r, enum table_key key, char buf[NAME_BYTES])
{
	static const char *const names[] = {
		[TABLE_COMM] = "comm",	     [TABLE_PID] = "pid",	  [TABLE_TID] = "tid",
		[TABLE_DSO] = "dso",	     [TABLE_SYM] = "sym",	  [TABLE_PARENT] = "parent",
		[TABLE_SRCLINE] = "srcline", [TABLE_SRCFILE] = "srcfile",
	};
	static const char *const tag_names[] = {
		[SAMPLE_TAG_CPU] = "cpu",	[SAMPLE_TAG_SOCKET] = "socket",
		[SAMPLE_TAG_NODE] = "node",	[SAMPLE_TAG_TIME] = "time",
		[SAMPLE_TAG_CGROUP] = "cgroup", [SAMPLE_TAG_EVENT] = "event",
		[SAMPLE_TAG_HOST] = "host",	[SAMPLE_TAG_TRACE] = "trace",
	};
	const struct sample_tag_column *column = column_of(r, key);

	if (!column)
		return names[key];
	if (column->kind != SAMPLE_TAG_FIELD)
		return tag_names[column->kind];
	if (!r->style.is_one_event)
		return column->name;
	snprintf(buf, NAME_BYTES, "%s.%s", r->events->items[column->event].name, column->name);
	return buf;
}

static void put_sym(struct json *j, const struct report *r, const struct table_entry *e,
		    const char *name)
{
	const struct frame *f = table_frame(r->table, e);
	char address[32];

	snprintf(address, sizeof(address), "0x%016" PRIx64, e->addr);
	json_text(j, name, f->symbol ? f->symbol->name : address);
}

static void put_tag(struct json *j, const struct report *r, const struct table_entry *e,
		    enum table_key key, const char *name)
{
	const struct tags *tags = &r->table->aggregate->tags;
	uint32_t tag = table_base(r->table, e)->tag;
	enum sample_tag_kind kind = column_of(r, key)->kind;
	uint64_t value = tags_value(tags, tag, key - TABLE_TAG);
	char time[40];

	if (sample_tag_is_text(kind)) {
		json_text(j, name, tags_text(tags, tag, key - TABLE_TAG));
	} else if (kind == SAMPLE_TAG_TIME) {
		snprintf(time, sizeof(time), "%llu.%09llu", value / TS_NS_PER_SEC,
			 value % TS_NS_PER_SEC);
		json_text(j, name, time);
	} else {
		json_i64(j, name, (int32_t)value);
	}
}

static void put_key(struct json *j, const struct report *r, const struct table_entry *e,
		    enum table_key key)
{
	const struct grouping_base *base = table_base(r->table, e);
	char buf[NAME_BYTES];
	const char *name = name_of(r, key, buf);

	switch (key) {
	case TABLE_COMM:
		json_text(j, name, r->table->aggregate->comms.items[base->comm]);
		break;
	case TABLE_PID:
	case TABLE_TID:
		json_u64(j, name, base->tid);
		break;
	case TABLE_DSO:
		json_text(j, name, table_dso_name(table_frame(r->table, e)));
		break;
	case TABLE_SYM:
		put_sym(j, r, e, name);
		break;
	case TABLE_SRCLINE:
	case TABLE_SRCFILE:
		json_text(j, name, table_frame(r->table, e)->line);
		break;
	case TABLE_PARENT:
		json_text(j, name, parents_name(&r->table->grouping.parents, base->parent));
		break;
	default:
		put_tag(j, r, e, key, name);
		break;
	}
}

/* Adds members that help to use a key: the name of the thread, the place of the function. */
static void put_extra(struct json *j, const struct report *r, const struct table_entry *e,
		      enum table_key key)
{
	const struct frame *f = table_frame(r->table, e);
	const char level[2] = {f->level, '\0'};
	char buf[UNNAMED_MAX];
	const char *comm;

	switch (key) {
	case TABLE_PID:
	case TABLE_TID:
		comm = tasks_last_comm(report_tasks(r, e), e->first_tid, e->first_ns);
		json_text(j, key == TABLE_PID ? "pid_comm" : "tid_comm",
			  comm ? comm : name_table_unnamed(e->first_tid, buf));
		break;
	case TABLE_DSO:
		if (f->module)
			json_text(j, "dso_path", f->module->long_name);
		break;
	case TABLE_SYM:
		json_text(j, "level", level);
		break;
	default:
		break;
	}
}

/* --- rows --- */

static void put_sums(struct json *j, const struct report *r, const struct table_entry *e)
{
	uint64_t total = r->table->events[table_base(r->table, e)->event].period;

	json_open(j, "self", '{');
	json_real(j, "percent", percent_of(e->sums.self_period, total));
	json_u64(j, "period", e->sums.self_period);
	json_u64(j, "samples", e->sums.self_samples);
	json_close(j, '}');
	if (!r->table->plan.children)
		return;
	json_open(j, "children", '{');
	json_real(j, "percent", percent_of(e->sums.total_period, total));
	json_u64(j, "period", e->sums.total_period);
	json_close(j, '}');
}

struct json_rows { /* shared by all threads that make rows */
	const struct report *report;
	struct table_depths depths;
	size_t first; /* the first shown row has no comma before it */
};

static size_t find_first(const struct report *r, uint32_t event)
{
	const struct table_event *e = &r->table->events[event];
	size_t i = 0;

	while (i < e->nr && !report_shows(r, r->table->order[e->first + i].entry))
		i++;
	return i;
}

/* Prints the keys of a row; in a nested table, those of its depth. */
static void put_keys(struct json *j, const struct json_rows *rows, const struct table_row *row)
{
	const struct report *r = rows->report;
	const struct table_plan *plan = &r->table->plan;
	enum table_key keys[TABLE_NR_KEYS];
	const char *host = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_keys; i++)
		if (table_has_key(r->table, row->event, plan->keys[i]) &&
		    rows->depths.of[plan->keys[i]] == row->depth)
			keys[nr++] = plan->keys[i];
	if (plan->is_nested)
		json_u64(j, "depth", row->depth);
	json_open(j, "keys", '{');
	for (size_t i = 0; i < nr; i++)
		put_key(j, r, row->entry, keys[i]);
	json_close(j, '}');
	for (size_t i = 0; i < nr; i++) {
		put_extra(j, r, row->entry, keys[i]);
		if (keys[i] == TABLE_PID || keys[i] == TABLE_TID)
			host = report_host(r, row->entry);
	}
	if (host)
		json_text(j, "thread_host", host);
}

static int put_row(const void *arg, struct callgraph *g, const struct table_row *row, size_t index,
		   struct ts_bytes *out)
{
	const struct json_rows *rows = arg;
	const struct report *r = rows->report;
	const struct table_entry *e = row->entry;
	struct json j = {.out = out, .is_behind = index > rows->first};
	int rc = 0;

	if (!report_shows(r, e))
		return 0;
	json_line(&j);
	json_open(&j, NULL, '{');
	put_sums(&j, r, e);
	put_keys(&j, rows, row);
	if (r->style.show_graphs && e->nr_refs)
		rc = print_json_graph(&j, g, e, &r->style.graph.callgraph);
	json_close(&j, '}');
	return rc;
}

/* --- the document --- */

static void put_captures(struct json *j, const struct report_head *h)
{
	print_json_capture(j, "capture", &h->items[0]);
	if (h->nr == 1)
		return;
	json_line(j);
	json_open(j, "other_captures", '[');
	for (size_t i = 1; i < h->nr; i++)
		print_json_capture(j, NULL, &h->items[i]);
	json_close(j, ']');
}

/* As in tstream.json. */
static void put_version(struct json *j)
{
	json_open(j, "format", '{');
	json_u64(j, "major", JSON_REPORT_MAJOR);
	json_u64(j, "minor", JSON_REPORT_MINOR);
	json_close(j, '}');
	json_text(j, "program", PACKAGE_STRING);
}

static void put_selection(struct json *j, const struct selection_text *s)
{
	const struct {
		const char *name, *text;
	} all[] = {
		{"time", s->time},
		{"last", s->last},
		{"cpu", s->cpus},
		{"pid", s->pids},
		{"tid", s->tids},
		{"comms", s->comms},
		{"dsos", s->dsos},
		{"symbols", s->symbols},
		{"symbol_filter", s->symbol_part},
		{"hide_unresolved", s->is_known ? "" : NULL},
	};

	json_line(j);
	json_open(j, "selection", '{');
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].text)
			json_text(j, all[i].name, all[i].text);
	json_close(j, '}');
}

static void put_order(struct json *j, const struct report *r)
{
	const struct table_plan *plan = &r->table->plan;
	char buf[NAME_BYTES];

	json_line(j);
	json_open(j, "sort", '[');
	for (size_t i = 0; i < plan->nr_keys; i++)
		json_text(j, NULL, name_of(r, plan->keys[i], buf));
	json_close(j, ']');
}

static void put_table_head(struct json *j, const struct report *r, uint32_t event)
{
	const struct table_event *e = &r->table->events[event];
	size_t end = r->style.is_one_event ? r->events->nr : event + 1;

	json_line(j);
	json_open(j, NULL, '{');
	json_open(j, "events", '[');
	for (size_t i = event; i < end; i++)
		json_text(j, NULL, r->events->items[i].name);
	json_close(j, ']');
	json_u64(j, "samples", e->nr_samples);
	json_u64(j, "period", e->period);
	json_open(j, "rows", '[');
}

static int flush_json(struct json *j, report_sink_fn sink, void *sink_arg)
{
	int rc = sink(sink_arg, j->out);

	ts_bytes_clear(j->out);
	return rc;
}

static int put_table(struct json *j, const struct report *r, uint32_t event, report_sink_fn sink,
		     void *sink_arg)
{
	struct json_rows rows = {.report = r, .first = find_first(r, event)};
	int rc;

	table_depths_find(&rows.depths, r->table, event);
	put_table_head(j, r, event);
	rc = flush_json(j, sink, sink_arg);
	if (!rc)
		rc = print_rows(r->table, event, put_row, &rows, sink, sink_arg);
	json_close(j, ']');
	json_close(j, '}');
	return rc;
}

int print_json(const struct json_report *r, report_sink_fn sink, void *sink_arg)
{
	const struct report *report = r->report;
	struct ts_bytes text = {0};
	struct json j = {.out = &text};
	int rc = 0;

	json_open(&j, NULL, '{');
	put_version(&j);
	put_captures(&j, r->head);
	put_selection(&j, r->selection);
	put_order(&j, report);
	json_line(&j);
	json_open(&j, "tables", '[');
	for (uint32_t i = 0; !rc && i < report->events->nr; i++)
		if (report->table->events[i].nr_samples)
			rc = put_table(&j, report, i, sink, sink_arg);
	json_close(&j, ']');
	json_close(&j, '}');
	text_char(&text, '\n');
	if (!rc)
		rc = flush_json(&j, sink, sink_arg);
	ts_bytes_release(&text);
	return rc;
}
