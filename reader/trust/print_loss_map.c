// SPDX-License-Identifier: Apache-2.0
/*
 * The map has a line for each row of the grid, a character for each column.
 *
 *	CPU    0 |....-+##..|
 *	CPU    1 |..........|
 *	          +0 s     +10 s
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "reader/runtime/text.h"
#include "reader/trust/loss_grid.h"
#include "reader/trust/print_loss.h"

#define LABEL_COLUMNS 14 /* "CPU 1000-1003" and a blank */
#define LEAST_COLUMNS 16
#define LEAST_ROWS    8
#define OTHER_LINES   8 /* terminal lines for legend, head of the table, prompt */

struct mark {
	double below; /* percent lost */
	const char *ascii, *utf8, *color;
};

static const struct mark marks[] = {
	{0, ".", "\u00b7", NULL},  {1, "-", "\u2591", "33"},	 {10, "+", "\u2592", "33"},
	{50, "*", "\u2593", "31"}, {101, "#", "\u2588", "1;31"},
};

#define NR_MARKS (sizeof(marks) / sizeof(*marks))

static const struct mark *mark_of(const struct loss_cell *c)
{
	double percent = loss_percent(c->lost, c->kept);
	size_t i = c->lost ? 1 : 0;

	while (c->lost && i + 1 < NR_MARKS && percent >= marks[i].below)
		i++;
	return &marks[i];
}

static const char *sign_of(const struct mark *m, const struct loss_style *style)
{
	return style->has_utf8 ? m->utf8 : m->ascii;
}

static void put_cells(const struct loss_cell *cells, size_t nr, const struct loss_style *style,
		      struct ts_bytes *out)
{
	const char *color = NULL;

	for (size_t i = 0; i < nr; i++) {
		bool is_empty = !cells[i].kept && !cells[i].lost;
		const struct mark *m = mark_of(&cells[i]);
		const char *wanted = style->has_colors && !is_empty ? m->color : NULL;

		if (color && color != wanted)
			text_put(out, "\033[0m");
		if (wanted && color != wanted)
			ts_bytes_printf(out, "\033[%sm", wanted);
		color = wanted;
		text_put(out, is_empty ? " " : sign_of(m, style));
	}
	text_put(out, color ? "\033[0m|\n" : "|\n");
}

static void put_label(const struct loss_row *row, struct ts_bytes *out)
{
	char text[32];

	if (row->first_cpu == LOSS_NO_CPU)
		snprintf(text, sizeof(text), "any CPU");
	else if (row->first_cpu == row->last_cpu)
		snprintf(text, sizeof(text), "CPU %" PRIu32, row->first_cpu);
	else if (row->last_cpu == LOSS_NO_CPU)
		snprintf(text, sizeof(text), "CPU %" PRIu32 "-any", row->first_cpu);
	else
		snprintf(text, sizeof(text), "CPU %" PRIu32 "-%" PRIu32, row->first_cpu,
			 row->last_cpu);
	ts_bytes_printf(out, "%-*s|", LABEL_COLUMNS - 1, text);
}

static void put_legend(const struct loss_grid *g, const struct loss_style *style,
		       struct ts_bytes *out)
{
	ts_bytes_printf(
		out,
		"# Share lost: '%s' none, '%s' < 1 %%, '%s' < 10 %%, '%s' < 50 %%, '%s' more, "
		"' ' no records.\n# A column is %" PRIu64 " s.\n",
		sign_of(&marks[0], style), sign_of(&marks[1], style), sign_of(&marks[2], style),
		sign_of(&marks[3], style), sign_of(&marks[4], style),
		(uint64_t)(g->step_ns / TS_NS_PER_SEC));
}

static void put_scale(const struct loss_grid *g, struct ts_bytes *out)
{
	uint64_t step_s = g->step_ns / TS_NS_PER_SEC;
	char last[32];
	int len = snprintf(last, sizeof(last), "+%" PRIu64 " s", (g->nr_columns - 1) * step_s);
	int gap = (int)g->nr_columns - 4 - len;

	ts_bytes_printf(out, "#%*s+0 s", LABEL_COLUMNS - 1, "");
	if (gap > 0)
		ts_bytes_printf(out, "%*s%s", gap, "", last);
	text_char(out, '\n');
}

int print_loss_map(const struct loss *l, const struct loss_style *style, struct ts_bytes *out)
{
	size_t columns = LEAST_COLUMNS, rows = LEAST_ROWS;
	struct loss_grid g;

	if (style->columns > LABEL_COLUMNS + 1 + LEAST_COLUMNS)
		columns = style->columns - LABEL_COLUMNS - 1;
	if (style->lines > OTHER_LINES + LEAST_ROWS)
		rows = style->lines - OTHER_LINES;
	if (loss_grid_make(&g, l, false, columns, rows))
		return -ENOMEM;
	if (g.nr_columns && !style->quiet) {
		text_put(out, "#\n");
		put_legend(&g, style, out);
	}
	for (size_t i = 0; g.nr_columns && i < g.nr_rows; i++) {
		put_label(&g.rows[i], out);
		put_cells(&g.cells[i * g.nr_columns], g.nr_columns, style, out);
	}
	if (g.nr_columns && !style->quiet)
		put_scale(&g, out);
	loss_grid_release(&g);
	return 0;
}
