// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_hierarchy.h"

#include <string.h>

#include "common/base/min_max.h"
#include "reader/report/print_cell.h"
#include "reader/runtime/text.h"

#define INDENT 3 /* columns per depth */

void hierarchy_style_find(struct hierarchy_style *s, const struct report *r, uint32_t event)
{
	column_widths_find(&s->widths, r, event);
	table_depths_find(&s->depths, r->table, event);
}

static void put_times(char c, unsigned int nr, struct ts_bytes *out)
{
	while (nr--)
		text_char(out, c);
}

/* With a separator nothing is aligned. */
static void put_indent(const struct report *r, char c, unsigned int depth, struct ts_bytes *out)
{
	put_times(c, r->style.columns.separator ? 0 : depth * INDENT, out);
}

static const char *between(const struct report *r, const char *other)
{
	return r->style.columns.separator ? r->style.columns.separator : other;
}

static bool is_key_at(const struct report *r, uint32_t event, const struct hierarchy_style *s,
		      enum table_key column, uint32_t depth)
{
	return !print_cell_is_sum(column) && s->depths.of[column] == depth &&
	       print_cell_is_there(r, event, column);
}

/* --- titles --- */

/* Prints "Command / Shared Object+Symbol"; returns its length. */
static size_t put_key_titles(const struct report *r, uint32_t event,
			     const struct hierarchy_style *s, struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	size_t from = out->len;

	for (uint32_t depth = 0; depth < s->depths.nr; depth++) {
		size_t nr = 0;

		text_put(out, depth ? " / " : "");
		for (size_t i = 0; i < columns->nr; i++) {
			const char *title = NULL;

			if (!is_key_at(r, event, s, columns->items[i], depth))
				continue;
			title = print_cell_name(r, columns->items[i]);
			text_put(out, nr++ ? "+" : "");
			text_name(out, title + strspn(title, " "), 0);
		}
	}
	return out->len - from;
}

/* The width of the keys of one depth, with their indentation. */
static size_t width_at(const struct report *r, uint32_t event, const struct hierarchy_style *s,
		       uint32_t depth)
{
	const struct report_columns *columns = &r->style.columns;
	size_t width = (size_t)depth * INDENT, nr = 0;

	for (size_t i = 0; i < columns->nr; i++)
		if (is_key_at(r, event, s, columns->items[i], depth))
			width += s->widths.of[columns->items[i]] + (nr++ > 0);
	return width;
}

void print_hierarchy_titles(const struct report *r, uint32_t event, const struct hierarchy_style *s,
			    struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	size_t width, nr = 0;

	text_put(out, "# ");
	put_indent(r, ' ', s->depths.nr - 1u, out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (!print_cell_is_sum(columns->items[i]))
			continue;
		print_cell_title(r, columns->items[i], s->widths.of[columns->items[i]], out);
		text_put(out, between(r, "  "));
	}
	width = put_key_titles(r, event, s, out);
	text_put(out, "\n# ");
	put_indent(r, '.', s->depths.nr - 1u, out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (!print_cell_is_sum(columns->items[i]))
			continue;
		text_put(out, nr++ ? between(r, "..") : "");
		put_times('.', s->widths.of[columns->items[i]], out);
	}
	for (uint32_t depth = 0; depth < s->depths.nr; depth++)
		width = ts_max(width, width_at(r, event, s, depth));
	text_put(out, between(r, "  "));
	put_times('.', (unsigned int)width, out);
	text_put(out, "\n#\n");
}

/* --- rows --- */

/* Numbers are left-aligned here, too. */
static void put_key(const struct report *r, const struct table_entry *e, enum table_key column,
		    unsigned int width, struct ts_bytes *out)
{
	size_t from = out->len, blanks = 0;

	print_cell(r, e, column, width, true, out);
	if (ts_bytes_failed(out))
		return;
	while (from + blanks < out->len && out->data[from + blanks] == ' ')
		blanks++;
	memmove(out->data + from, out->data + from + blanks, out->len - from - blanks);
	out->len -= blanks;
}

void print_hierarchy(const struct report *r, const struct table_row *row,
		     const struct hierarchy_style *s, struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	const unsigned int *widths = s->widths.of;
	size_t nr = 0;

	put_times(' ', row->depth * INDENT, out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (!print_cell_is_sum(columns->items[i]))
			continue;
		text_put(out, columns->separator && !nr++ ? "" : between(r, "  "));
		print_cell(r, row->entry, columns->items[i], widths[columns->items[i]], false, out);
	}
	put_indent(r, ' ', s->depths.nr - 1u, out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (!is_key_at(r, row->event, s, columns->items[i], row->depth))
			continue;
		text_put(out, between(r, "  "));
		put_key(r, row->entry, columns->items[i], widths[columns->items[i]], out);
	}
	text_char(out, '\n');
}

/* Is a shown row right below the index-th row of an event? */
static bool has_below(const struct report *r, const struct table_row *row, size_t index)
{
	const struct table_event *event = &r->table->events[row->event];
	const struct table_row *rows = &r->table->order[event->first];

	for (size_t i = index + 1; i < event->nr && rows[i].depth > row->depth; i++)
		if (rows[i].depth == row->depth + 1 && report_shows(r, rows[i].entry))
			return true;
	return false;
}

void print_hierarchy_end(const struct report *r, const struct table_row *row, size_t index,
			 const struct hierarchy_style *s, struct ts_bytes *out)
{
	const struct report_columns *columns = &r->style.columns;
	unsigned int width = 4, nr = 0;

	if (row->depth + 1 == s->depths.nr || has_below(r, row, index))
		return;
	for (size_t i = 0; i < columns->nr; i++)
		if (print_cell_is_sum(columns->items[i]))
			width += s->widths.of[columns->items[i]] + (nr++ ? 2 : 0);
	put_indent(r, ' ', s->depths.nr + row->depth, out);
	put_times(' ', width, out);
	ts_bytes_printf(out, "no entry >= %.2f%%\n", r->style.min_percent);
}
