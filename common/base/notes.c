// SPDX-License-Identifier: Apache-2.0
#include "common/base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_note(const struct ts_notes *notes, const char *text)
{
	for (size_t i = 0; i < notes->nr; i++)
		if (!strcmp(notes->items[i], text))
			return 1;
	return 0;
}

/* Keeps the text, or frees it. */
static void keep(struct ts_notes *notes, char *text)
{
	char **items = reallocarray(notes->items, notes->nr + 1, sizeof(*items));

	if (!items) {
		free(text);
		return;
	}
	notes->items = items;
	notes->items[notes->nr++] = text;
}

void ts_notes_add(struct ts_notes *notes, const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	if (!notes)
		return;
	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if (has_note(notes, text))
		free(text);
	else
		keep(notes, text);
}

void ts_notes_add_again(struct ts_notes *notes, const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	if (!notes)
		return;
	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len >= 0)
		keep(notes, text);
}

void ts_notes_release(struct ts_notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		free(notes->items[i]);
	free(notes->items);
	*notes = (struct ts_notes){0};
}
