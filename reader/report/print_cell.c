// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "reader/runtime/text.h"

static const char *const titles[] = {
	[TABLE_COMM] = "Command",	 [TABLE_PID] = "    Pid:Command",
	[TABLE_TID] = "    Tid:Command", [TABLE_DSO] = "Shared Object",
	[TABLE_SYM] = "Symbol",		 [TABLE_SRCLINE] = "Source:Line",
	[TABLE_SRCFILE] = "Source File", [TABLE_PARENT] = "Parent symbol",
};

static const char *const sum_titles[] = {"Children",  "Overhead",  "sys",     "usr",
					 "guest sys", "guest usr", "Samples", "Period"};

static const char *const tag_titles[] = {
	[SAMPLE_TAG_CPU] = "CPU",	[SAMPLE_TAG_SOCKET] = "Socket",
	[SAMPLE_TAG_NODE] = "Node",	[SAMPLE_TAG_TIME] = "Time",
	[SAMPLE_TAG_CGROUP] = "Cgroup", [SAMPLE_TAG_EVENT] = "Event",
	[SAMPLE_TAG_HOST] = "Host",	[SAMPLE_TAG_TRACE] = "Trace output",
};

const struct sample_tag_column *print_cell_tag(const struct report *r, enum table_key column)
{
	if (column < TABLE_TAG || column >= TABLE_NR_KEYS)
		return NULL;
	return &r->table->aggregate->tags.plan->columns[column - TABLE_TAG];
}

const char *print_cell_name(const struct report *r, enum table_key column)
{
	const struct sample_tag_column *tag = print_cell_tag(r, column);

	if (tag)
		return tag->kind == SAMPLE_TAG_FIELD ? tag->name : tag_titles[tag->kind];
	if (column == TABLE_OVERHEAD && r->style.columns.has_self)
		return "Self";
	return column < TABLE_TAG ? titles[column] : sum_titles[column - TABLE_CHILDREN];
}

bool print_cell_is_there(const struct report *r, uint32_t event, enum table_key column)
{
	return print_cell_is_sum(column) ||
	       (!r->style.is_hidden[column] && table_has_key(r->table, event, column));
}

void print_cell_title(const struct report *r, enum table_key column, unsigned int width,
		      struct ts_bytes *out)
{
	const struct sample_tag_column *tag = print_cell_tag(r, column);
	const char *title = print_cell_name(r, column);

	if (r->style.columns.separator)
		text_put(out, title + strspn(title, " "));
	else if (print_cell_is_sum(column) || (tag && tag->kind == SAMPLE_TAG_FIELD))
		ts_bytes_printf(out, "%*.*s", (int)width, (int)width, title);
	else
		ts_bytes_printf(out, "%-*.*s", (int)width, (int)width, title);
}

/* --- what a cell says --- */

const char *print_cell_thread_comm(const struct report *r, const struct table_entry *e,
				   char buf[UNNAMED_MAX])
{
	const char *comm = tasks_last_comm(report_tasks(r, e), e->first_tid, e->first_ns);

	return comm ? comm : name_table_unnamed(e->first_tid, buf);
}

/* Prints a name left-aligned in `width` columns, or cut to it; 0: unchanged. */
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
	put_left(out, print_cell_thread_comm(r, e, buf), width > 8 ? width - 8 : 0);
}

static void put_sym(const struct report *r, const struct table_entry *e, struct ts_bytes *out)
{
	const struct frame *f = table_frame(r->table, e);

	ts_bytes_printf(out, "[%c] ", f->level);
	if (f->symbol)
		text_name(out, f->symbol->name, 0);
	else
		ts_bytes_printf(out, "%-#.*" PRIx64, CELL_ADDRESS_DIGITS, e->addr);
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

/* As in perf, texts of tracepoints and similar ones are not padded at the end of a line. */
static void put_text(const char *text, unsigned int width, bool is_last, struct ts_bytes *out)
{
	if (is_last)
		text_name_n(out, text, strnlen(text, width));
	else
		put_left(out, text, width);
}

static void put_tag(const struct report *r, uint32_t tag, enum table_key key, unsigned int width,
		    bool is_last, struct ts_bytes *out)
{
	const struct tags *tags = &r->table->aggregate->tags;
	uint64_t value = tags_value(tags, tag, key - TABLE_TAG);

	switch (print_cell_tag(r, key)->kind) {
	case SAMPLE_TAG_CPU:
		ts_bytes_printf(out, "%*.*d", (int)width, (int)width, (int)value);
		break;
	case SAMPLE_TAG_SOCKET:
		ts_bytes_printf(out, "%*.*d", (int)width, width > 3 ? (int)width - 3 : 0,
				(int)value);
		break;
	case SAMPLE_TAG_NODE:
		ts_bytes_printf(out, "%*d", (int)width, (int)value);
		break;
	case SAMPLE_TAG_TIME:
		put_time(r, value, width, out);
		break;
	case SAMPLE_TAG_FIELD:
		text_name(out, tags_text(tags, tag, key - TABLE_TAG), width);
		break;
	case SAMPLE_TAG_CGROUP:
	case SAMPLE_TAG_EVENT:
	case SAMPLE_TAG_HOST:
	case SAMPLE_TAG_TRACE:
		put_text(tags_text(tags, tag, key - TABLE_TAG), width, is_last, out);
		break;
	}
}

static void put_key(const struct report *r, const struct table_entry *e, enum table_key key,
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
	case TABLE_SRCLINE:
	case TABLE_SRCFILE:
		put_text(table_frame(r->table, e)->line, width, is_last, out);
		break;
	case TABLE_PARENT:
		put_left(out, parents_name(&r->table->grouping.parents, base->parent), width);
		break;
	default:
		put_tag(r, base->tag, key, width, is_last, out);
		break;
	}
}

/* --- sums --- */

static void put_share(uint64_t period, uint64_t total, unsigned int width, struct ts_bytes *out)
{
	double share = total ? 100.0 * (double)period / (double)total : 0.0;
	uint64_t hundredths = (uint64_t)(share * 100 + 0.5);

	/*
	 * Printing takes a good part of a report's time, so only values near a tie go through
	 * printf.
	 */
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

/* Prints the sums of all members of a group side by side. */
static void put_sums(const struct report *r, const struct table_entry *e, enum table_key column,
		     unsigned int width, struct ts_bytes *out)
{
	const struct event_group group =
		event_group_of(r->table->plan.groups, table_base(r->table, e)->event);
	const unsigned int others = (group.nr - 1) * print_cell_sum_width(column);

	if (column == TABLE_CHILDREN && !r->table->plan.children) {
		text_name(out, "N/A", width);
		return;
	}
	for (uint32_t i = 0; i < group.nr; i++) {
		uint64_t sum = table_sum(e, column, i);
		unsigned int room = i ? print_cell_sum_width(column) : width - others;

		if (column == TABLE_SAMPLES || column == TABLE_PERIOD)
			text_dec(out, sum, room, ' ');
		else
			put_share(sum, r->table->events[group.first + i].period, room, out);
	}
}

/* --- cells --- */

/* Leaves one blank between the sums of a group that were appended since `from`. */
static void close_up(struct ts_bytes *out, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < out->len; i++)
		if (out->data[i] != ' ' || (to > from && out->data[to - 1] != ' '))
			out->data[to++] = out->data[i];
	out->len = to;
}

/* Removes blanks around the text that was appended since `from`, and separators in it. */
static void separate_cells(struct ts_bytes *out, size_t from, char separator)
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

void print_cell(const struct report *r, const struct table_entry *e, enum table_key column,
		unsigned int width, bool is_last, struct ts_bytes *out)
{
	const char *separator = r->style.columns.separator;
	size_t from = out->len;

	if (print_cell_is_sum(column))
		put_sums(r, e, column, width, out);
	else
		put_key(r, e, column, width, is_last, out);
	if (separator && print_cell_is_sum(column) && !ts_bytes_failed(out))
		close_up(out, from);
	if (separator && !ts_bytes_failed(out))
		separate_cells(out, from, *separator);
}
