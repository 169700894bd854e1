// SPDX-License-Identifier: Apache-2.0
#include "common/base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/escape_text.h"

#define LEFT_OUT "..."

/* Keeps both ends of a text that is too long: the verb, and the reason. */
static void take_ends(char *to, size_t size, const char *text)
{
	const size_t len = strlen(text), nr_last = size / 2;
	const size_t nr_first = size - 1 - nr_last - strlen(LEFT_OUT);

	memcpy(to, text, nr_first);
	memcpy(to + nr_first, LEFT_OUT, strlen(LEFT_OUT));
	memcpy(to + size - 1 - nr_last, text + len - nr_last, nr_last + 1);
}

/* Names in a sentence may hold anything; if there is no memory for a long one, its end is left out. */
static void put_sentence(char *to, size_t size, const char *fmt, va_list args)
{
	char *whole = NULL;
	va_list again;

	va_copy(again, args);
	if (vsnprintf(to, size, fmt, args) >= (int)size && vasprintf(&whole, fmt, again) >= 0) {
		take_ends(to, size, whole);
		free(whole);
	}
	va_end(again);
	ts_escape_text(to, strlen(to), "\t");
}

static void set_text(struct ts_error *err, int code, const char *fmt, va_list args)
{
	err->code = code;
	err->hint[0] = '\0';
	put_sentence(err->text, sizeof(err->text), fmt, args);
}

int ts_error_set(struct ts_error *err, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(err, code, fmt, args);
	va_end(args);
	return -code;
}

int ts_error_sys(struct ts_error *err, int code, const char *fmt, ...)
{
	char text[128], reason[sizeof(text) + 2], cut[sizeof(err->text)];
	va_list args;
	size_t most;

	snprintf(reason, sizeof(reason), ": %s", strerror_r(code, text, sizeof(text)));
	va_start(args, fmt);
	set_text(err, code, fmt, args);
	va_end(args);
	most = sizeof(err->text) - strlen(reason);
	if (strlen(err->text) >= most) {
		take_ends(cut, most, err->text);
		memcpy(err->text, cut, most);
	}
	strcat(err->text, reason);
	return -code;
}

bool ts_error_is_shortage(int code)
{
	return code == ENOMEM || code == EMFILE || code == ENFILE;
}

bool ts_error_is_of_machine(int code)
{
	return ts_error_is_shortage(code) || code == EIO;
}

int ts_error_hint(struct ts_error *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_sentence(err->hint, sizeof(err->hint), fmt, args);
	va_end(args);
	return -err->code;
}
