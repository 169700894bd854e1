// SPDX-License-Identifier: Apache-2.0
#include "reader/print_columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/number.h"
#include "reader/text.h"

#define ADDRESS_DIGITS 16
#define SHARE_WIDTH    8
#define NUMBER_WIDTH   12
#define TIME_WIDTH     12

static const char *const titles[] = {
	[TABLE_COMM] = "Command",	 [TABLE_PID] = "    Pid:Command",
	[TABLE_TID] = "    Tid:Command", [TABLE_DSO] = "Shared Object",
	[TABLE_SYM] = "Symbol",		 [TABLE_PARENT] = "Parent symbol",
};

static const char *const sum_titles[] = {"Children",  "Overhead",  "sys",     "usr",
					 "guest sys", "guest usr", "Samples", "Period"};

static const char *const tag_titles[] = {
	[TAG_CPU] = "CPU",   [TAG_SOCKET] = "Socket",	   [TAG_NODE] = "Node",
	[TAG_TIME] = "Time", [TAG_CGROUP] = "Cgroup",	   [TAG_EVENT] = "Event",
	[TAG_HOST] = "Host", [TAG_TRACE] = "Trace output",
};

/* The column of the tags that a column is; NULL: it is another one. */
static const struct tag_column *tag_of(const struct report *r, enum table_key column)
{
	if (column < TABLE_TAG || column >= TABLE_NR_KEYS)
		return NULL;
	return &r->table->aggregate->tags.plan->columns[column - TABLE_TAG];
}

static const char *title_of(const struct report *r, enum table_key column)
{
	const struct tag_column *tag = tag_of(r, column);

	if (tag)
		return tag->kind == TAG_FIELD ? tag->name : tag_titles[tag->kind];
	if (column == TABLE_OVERHEAD && r->style.columns.has_self)
		return "Self";
	return column < TABLE_TAG ? titles[column] : sum_titles[column - TABLE_CHILDREN];
}

static bool is_sum(enum table_key column)
{
	return column >= TABLE_CHILDREN;
}

/* Has an event's table this column? The fields of other tracepoints are none of its own. */
static bool has_column(const struct report *r, uint32_t event, enum table_key column)
{
	const struct tag_column *tag = tag_of(r, column);

	if (!is_sum(column) && r->style.is_hidden[column])
		return false;
	return !tag || tag->kind != TAG_FIELD || tag->event == event || r->style.is_one_event;
}

/* --- what a cell says --- */

/* The last name of the thread, as perf prints it beside its number. */
static const char *thread_comm(const struct report *r, const struct table_entry *e,
			       char buf[UNNAMED_MAX])
{
	const char *comm = ts_tasks_last_comm(report_tasks(r, e), e->first_tid, e->first_ns);

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
	put_left(out, thread_comm(r, e, buf), width > 8 ? width - 8 : 0);
}

static void put_sym(const struct report *r, const struct table_entry *e, struct ts_bytes *out)
{
	const struct frame *f = table_frame(r->table, e);

	ts_bytes_printf(out, "[%c] ", f->level);
	if (f->symbol)
		text_name(out, f->symbol->name, 0);
	else
		ts_bytes_printf(out, "%-#.*" PRIx64, ADDRESS_DIGITS, e->addr);
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

	switch (tag_of(r, key)->kind) {
	case TAG_CPU:
		ts_bytes_printf(out, "%*.*d", (int)width, (int)width, (int)value);
		break;
	case TAG_SOCKET:
		ts_bytes_printf(out, "%*.*d", (int)width, width > 3 ? (int)width - 3 : 0,
				(int)value);
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
	size_t before = out->len;

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
		put_sym(r, e, out);
		if (out->len > before + width)
			out->len = before + width;
		while (!is_last && out->len < before + width && !ts_bytes_failed(out))
			text_char(out, ' ');
		break;
	case TABLE_PARENT:
		put_left(out, parents_name(&r->table->grouping.parents, base->parent), width);
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

static void widen_for(const struct report *r, const struct table_entry *e, struct column_widths *w)
{
	const struct names *comms = &r->table->aggregate->comms;
	const struct tags *tags = &r->table->aggregate->tags;
	const struct frame *f = table_frame(r->table, e);
	char buf[UNNAMED_MAX];
	size_t comm = strlen(thread_comm(r, e, buf));

	widen(&w->of[TABLE_COMM], comm);
	if (comms->nr)
		widen(&w->of[TABLE_COMM], strlen(comms->items[table_base(r->table, e)->comm]));
	widen(&w->of[TABLE_PID], comm + 8);
	widen(&w->of[TABLE_TID], comm + 8);
	widen(&w->of[TABLE_SYM], f->symbol ? strlen(f->symbol->name) + 4 : ADDRESS_DIGITS + 6);
	if (!f->symbol)
		widen(&w->of[TABLE_DSO], ADDRESS_DIGITS);
	if (f->module)
		widen(&w->of[TABLE_DSO], strlen(f->module->short_name));
	widen(&w->of[TABLE_PARENT],
	      strlen(parents_name(&r->table->grouping.parents, table_base(r->table, e)->parent)));
	for (size_t i = 0; tags->plan && i < tags->plan->nr; i++)
		if (tag_is_text(tags->plan->columns[i].kind))
			widen(&w->of[TABLE_TAG + i],
			      strlen(tags_text(tags, table_base(r->table, e)->tag, i)));
}

static unsigned int least_width(const struct report *r, enum table_key column)
{
	const struct tag_column *tag = tag_of(r, column);
	size_t len = strlen(title_of(r, column));

	if (column == TABLE_SAMPLES || column == TABLE_PERIOD)
		len = NUMBER_WIDTH;
	else if (is_sum(column))
		len = ts_max(len, SHARE_WIDTH);
	if (tag && tag->kind == TAG_TIME)
		len = r->style.nanoseconds ? TIME_WIDTH + 4 : TIME_WIDTH;
	if (tag && tag->kind == TAG_FIELD)
		len = ts_max(tag->width, len);
	return (unsigned int)len;
}

void column_widths_find(struct column_widths *w, const struct report *r, uint32_t event)
{
	const struct report_columns *columns = &r->style.columns;
	const struct table_event *e = &r->table->events[event];

	*w = (struct column_widths){0};
	for (size_t i = 0; i < columns->nr; i++)
		w->of[columns->items[i]] = least_width(r, columns->items[i]);
	for (size_t i = 0; i < e->nr; i++)
		widen_for(r, r->table->order[e->first + i].entry, w);
	for (size_t i = 0; i < columns->nr && i < columns->nr_widths; i++) {
		unsigned int *width = &w->of[columns->items[i]];

		if (!columns->widths[i])
			continue;
		/* a number is never cut */
		*width = is_sum(columns->items[i])
				 ? (unsigned int)ts_max(columns->widths[i], *width)
				 : columns->widths[i];
	}
}

/* --- titles --- */

static void put_dots(unsigned int nr, struct ts_bytes *out)
{
	while (nr--)
		text_char(out, '.');
}

/* Between two columns; with a separator nothing is before the first. */
static void put_between(const struct report *r, size_t *nr_before, struct ts_bytes *out)
{
	const char *separator = r->style.columns.separator;

	if (!separator)
		text_put(out, "  ");
	else if (*nr_before)
		text_put(out, separator);
	++*nr_before;
}

/* Sums and fields of tracepoints stand on the right. */
static void put_title(const struct report *r, enum table_key column, unsigned int width,
		      struct ts_bytes *out)
{
	const struct tag_column *tag = tag_of(r, column);
	const char *title = title_of(r, column);

	if (r->style.columns.separator)
		text_put(out, title + strspn(title, " "));
	else if (is_sum(column) || (tag && tag->kind == TAG_FIELD))
		ts_bytes_printf(out, "%*.*s", (int)width, (int)width, title);
	else
		ts_bytes_printf(out, "%-*.*s", (int)width, (int)width, title);
}

void print_column_titles(const struct report *r, uint32_t event, const struct column_widths *w,
			 struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	size_t nr = 0;

	text_put(out, "#");
	if (columns->separator)
		text_char(out, ' ');
	for (size_t i = 0; i < columns->nr; i++) {
		if (!has_column(r, event, columns->items[i]))
			continue;
		text_put(out, nr || columns->separator ? "" : " ");
		if (nr || columns->separator)
			put_between(r, &nr, out);
		else
			nr++;
		put_title(r, columns->items[i], w->of[columns->items[i]], out);
	}
	text_char(out, '\n');
	if (columns->separator)
		return;
	text_put(out, "#");
	nr = 0;
	for (size_t i = 0; i < columns->nr; i++) {
		if (!has_column(r, event, columns->items[i]))
			continue;
		text_put(out, nr++ ? "  " : " ");
		put_dots(w->of[columns->items[i]], out);
	}
	text_put(out, "\n#\n");
}

/* --- rows --- */

static void put_share(uint64_t period, uint64_t total, unsigned int width, struct ts_bytes *out)
{
	double share = total ? 100.0 * (double)period / (double)total : 0.0;
	uint64_t hundredths = (uint64_t)(share * 100 + 0.5);

	/* Printing is a good part of a report; only what stands near a tie needs printf's care. */
	if (share < 0 || share > 1000 || fabs(share * 100 + 0.5 - (double)hundredths) < 1e-6 ||
	    fabs(share * 100 - 0.5 - (double)hundredths) < 1e-6) {
		ts_bytes_printf(out, "%*.2f%%", (int)width - 1, share);
		return;
	}
	text_dec(out, hundredths / 100, width - 4, ' ');
	text_char(out, '.');
	text_dec(out, hundredths % 100, 2, '0');
	text_char(out, '%');
}

static void put_sum(const struct report *r, const struct table_entry *e, enum table_key column,
		    unsigned int width, struct ts_bytes *out)
{
	uint64_t total = r->table->events[table_base(r->table, e)->event].period;

	if (column == TABLE_CHILDREN && !r->table->plan.children)
		text_name(out, "N/A", width);
	else if (column == TABLE_SAMPLES || column == TABLE_PERIOD)
		text_dec(out, table_sum(e, column), width, ' ');
	else
		put_share(table_sum(e, column), total, width, out);
}

/* Of what was appended since `from`: no blanks around it, no separator in it. */
static void separate(struct ts_bytes *out, size_t from, char separator)
{
	char *text = (char *)out->data + from;
	size_t len = out->len - from, blanks;

	while (len && text[len - 1] == ' ')
		len--;
	for (blanks = 0; blanks < len && text[blanks] == ' ';)
		blanks++;
	len -= blanks;
	memmove(text, text + blanks, len);
	for (size_t i = 0; i < len; i++)
		if (text[i] == separator)
			text[i] = '.';
	out->len = from + len;
}

void print_columns(const struct report *r, const struct table_entry *e,
		   const struct column_widths *w, struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	uint32_t event = table_base(r->table, e)->event;
	size_t nr = 0, from;

	for (size_t i = 0; i < columns->nr; i++) {
		enum table_key column = columns->items[i];

		if (!has_column(r, event, column))
			continue;
		put_between(r, &nr, out);
		from = out->len;
		if (is_sum(column))
			put_sum(r, e, column, w->of[column], out);
		else
			put_cell(r, e, column, w->of[column], i + 1 == columns->nr, out);
		if (columns->separator && !ts_bytes_failed(out))
			separate(out, from, *columns->separator);
	}
	text_char(out, '\n');
}
