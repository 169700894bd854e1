// SPDX-License-Identifier: Apache-2.0
#include "common/base/notes.h"

#include <stdarg.h>
#include <stdbool.h>
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

static void add_note(struct ts_notes *notes, bool is_again, const char *fmt, va_list args)
{
	char *text, **items;

	if (!notes || vasprintf(&text, fmt, args) < 0)
		return;
	items = !is_again && has_note(notes, text)
			? NULL
			: reallocarray(notes->items, notes->nr + 1, sizeof(*items));
	if (!items) {
		free(text);
		return;
	}
	notes->items = items;
	notes->items[notes->nr++] = text;
}

void ts_notes_add(struct ts_notes *notes, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_note(notes, false, fmt, args);
	va_end(args);
}

void ts_notes_add_again(struct ts_notes *notes, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_note(notes, true, fmt, args);
	va_end(args);
}

void ts_notes_release(struct ts_notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		free(notes->items[i]);
	free(notes->items);
	*notes = (struct ts_notes){0};
}
