// SPDX-License-Identifier: Apache-2.0
#include "common/options/option_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_COLUMN 9	/* first column of options */
#define HELP_COLUMN  34 /* first column of their descriptions */
#define LAST_COLUMN  92

struct line { /* the line that is being written */
	struct ts_bytes *out;
	int column;    /* 0: nothing written yet */
	bool has_help; /* the last row written has a description */
};

static void put_text(struct line *l, const char *text)
{
	ts_bytes_put(l->out, text, strlen(text));
	l->column += (int)strlen(text);
}

static void pad_line(struct line *l, int column)
{
	while (l->column < column)
		put_text(l, " ");
}

static void end_line(struct line *l)
{
	if (l->column)
		put_text(l, "\n");
	l->column = 0;
}

/* Writes words from the help column on, in as many lines as they need. */
static void put_help(struct line *l, const char *help)
{
	for (bool is_first = true; *help; is_first = false) {
		int len = (int)strcspn(help, " ");

		if (!is_first && l->column + 1 + len > LAST_COLUMN) {
			end_line(l);
			pad_line(l, HELP_COLUMN);
		} else if (!is_first) {
			put_text(l, " ");
		}
		ts_bytes_put(l->out, help, (size_t)len);
		l->column += len;
		help += len + (help[len] == ' ');
	}
}

/* Does the row fit on the line of the row before it? */
static bool fits_beside(const struct line *l, const struct ts_option *row, const char *names)
{
	int len = 2 + (int)strlen(names) + (row->help ? 2 + (int)strlen(row->help) : 0);

	return row->is_beside && l->column && !row->group && l->column + len <= LAST_COLUMN;
}

static void put_row(struct line *l, const struct ts_option *row)
{
	char names[TS_OPTION_NAMES];

	ts_option_names(row, names);
	if (fits_beside(l, row, names)) {
		put_text(l, l->has_help ? "; " : "  ");
	} else {
		end_line(l);
		if (row->group) {
			put_text(l, row->group);
			put_text(l, ":");
		}
		pad_line(l, GROUP_COLUMN);
	}
	put_text(l, names);
	l->has_help = row->help;
	if (!row->help)
		return;
	put_text(l, "  ");
	if (!row->is_beside || l->column < HELP_COLUMN)
		pad_line(l, HELP_COLUMN);
	put_help(l, row->help);
}

void ts_option_help(const struct ts_command *command, struct ts_bytes *out)
{
	struct line l = {.out = out};
	size_t nr = 0;
	struct ts_option_place *places = ts_options_list(command->rows, NULL, &nr);

	put_text(&l, "Usage: tstream ");
	put_text(&l, command->name);
	put_text(&l, nr ? " [OPTION...]" : "");
	put_text(&l, command->words ? " " : "");
	put_text(&l, command->words ? command->words : "");
	put_text(&l, "\n");
	put_text(&l, command->purpose);
	put_text(&l, nr ? "\n\n" : "\n");
	l.column = 0;
	for (size_t i = 0; places && i < nr; i++)
		if (ts_option_is_shown(places[i].row) && places[i].row == places[i].of)
			put_row(&l, places[i].row);
	end_line(&l);
	if (command->more) {
		put_text(&l, "\n");
		put_text(&l, command->more);
		put_text(&l, "\n");
	}
	free(places);
}
