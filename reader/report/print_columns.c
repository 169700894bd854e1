// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_columns.h"

#include <string.h>

#include "common/base/min_max.h"
#include "reader/report/print_cell.h"
#include "reader/runtime/text.h"

#define TIME_WIDTH 12

/* --- widths --- */

static void widen_column(unsigned int *width, size_t len)
{
	if (len > *width)
		*width = (unsigned int)len;
}

static void widen_for(const struct report *r, const struct table_entry *e, struct column_widths *w)
{
	const struct name_table *comms = &r->table->aggregate->comms;
	const struct tags *tags = &r->table->aggregate->tags;
	const struct frame *f = table_frame(r->table, e);
	char buf[UNNAMED_MAX];
	size_t comm = strlen(print_cell_thread_comm(r, e, buf));

	widen_column(&w->of[TABLE_COMM], comm);
	if (comms->nr)
		widen_column(&w->of[TABLE_COMM],
			     strlen(comms->items[table_base(r->table, e)->comm]));
	widen_column(&w->of[TABLE_PID], comm + 8);
	widen_column(&w->of[TABLE_TID], comm + 8);
	widen_column(&w->of[TABLE_SYM],
		     f->symbol ? strlen(f->symbol->name) + 4 : CELL_ADDRESS_DIGITS + 6);
	if (!f->symbol)
		widen_column(&w->of[TABLE_DSO], CELL_ADDRESS_DIGITS);
	if (f->module)
		widen_column(&w->of[TABLE_DSO], strlen(f->module->short_name));
	if (f->line) {
		widen_column(&w->of[TABLE_SRCLINE], strlen(f->line));
		widen_column(&w->of[TABLE_SRCFILE], strlen(f->line));
	}
	widen_column(&w->of[TABLE_PARENT], strlen(parents_name(&r->table->grouping.parents,
							       table_base(r->table, e)->parent)));
	for (size_t i = 0; tags->plan && i < tags->plan->nr; i++)
		if (sample_tag_is_text(tags->plan->columns[i].kind))
			widen_column(&w->of[TABLE_TAG + i],
				     strlen(tags_text(tags, table_base(r->table, e)->tag, i)));
}

static unsigned int least_width(const struct report *r, uint32_t event, enum table_key column)
{
	const uint32_t nr_members = event_group_of(r->table->plan.groups, event).nr;
	const struct sample_tag_column *tag = print_cell_tag(r, column);
	size_t len = strlen(print_cell_name(r, column));

	if (print_cell_is_sum(column))
		len = ts_max(len, (size_t)nr_members * print_cell_sum_width(column));
	if (tag && tag->kind == SAMPLE_TAG_TIME)
		len = r->style.nanoseconds ? TIME_WIDTH + 4 : TIME_WIDTH;
	if (tag && tag->kind == SAMPLE_TAG_FIELD)
		len = ts_max(tag->width, len);
	return (unsigned int)len;
}

void column_widths_find(struct column_widths *w, const struct report *r, uint32_t event)
{
	const struct report_columns *columns = &r->style.columns;
	const struct table_event *e = &r->table->events[event];

	*w = (struct column_widths){0};
	for (size_t i = 0; i < columns->nr; i++)
		w->of[columns->items[i]] = least_width(r, event, columns->items[i]);
	for (size_t i = 0; i < e->nr; i++)
		widen_for(r, r->table->order[e->first + i].entry, w);
	for (size_t i = 0; i < columns->nr && i < columns->nr_widths; i++) {
		unsigned int *width = &w->of[columns->items[i]];

		if (!columns->widths[i])
			continue;
		/* a number is never cut */
		*width = print_cell_is_sum(columns->items[i])
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

/* Prints the gap between two columns; with a separator there is none before the first. */
static void put_between(const struct report *r, size_t *nr_before, struct ts_bytes *out)
{
	const char *separator = r->style.columns.separator;

	if (!separator)
		text_put(out, "  ");
	else if (*nr_before)
		text_put(out, separator);
	++*nr_before;
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
		if (!print_cell_is_there(r, event, columns->items[i]))
			continue;
		text_put(out, nr || columns->separator ? "" : " ");
		if (nr || columns->separator)
			put_between(r, &nr, out);
		else
			nr++;
		print_cell_title(r, columns->items[i], w->of[columns->items[i]], out);
	}
	text_char(out, '\n');
	if (columns->separator)
		return;
	text_put(out, "#");
	nr = 0;
	for (size_t i = 0; i < columns->nr; i++) {
		if (!print_cell_is_there(r, event, columns->items[i]))
			continue;
		text_put(out, nr++ ? "  " : " ");
		put_dots(w->of[columns->items[i]], out);
	}
	text_put(out, "\n#\n");
}

/* --- rows --- */

void print_columns(const struct report *r, const struct table_entry *e,
		   const struct column_widths *w, struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	uint32_t event = table_base(r->table, e)->event;
	size_t nr = 0;

	for (size_t i = 0; i < columns->nr; i++) {
		enum table_key column = columns->items[i];

		if (!print_cell_is_there(r, event, column))
			continue;
		put_between(r, &nr, out);
		print_cell(r, e, column, w->of[column], i + 1 == columns->nr, out);
	}
	text_char(out, '\n');
}
