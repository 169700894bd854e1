// SPDX-License-Identifier: Apache-2.0
#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/escape_text.h"

#define LINE_BYTES 4096 /* longer messages are cut: a pipe takes this much in one piece */

static enum ts_log_level log_level = TS_LOG_NORMAL;

void ts_log_set_level(enum ts_log_level level)
{
	log_level = level;
}

bool ts_log_enabled(enum ts_log_level level)
{
	return log_level >= level;
}

static bool wants_colour(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

static void put_text(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

/* One message: "tstream: <word><text>\n" in one write. `sgr` colours the word. */
static void say_line(const char *word, const char *sgr, const char *fmt, va_list args)
{
	char text[LINE_BYTES - 64], line[LINE_BYTES];
	int len;

	vsnprintf(text, sizeof(text), fmt, args);
	/* A name must not begin a line that looks like one of ours. */
	ts_escape_text(text, strlen(text), strchr(fmt, '\n') ? "\n\t" : "\t");
	if (*word && wants_colour())
		len = snprintf(line, sizeof(line), "tstream: \033[%sm%s\033[0m%s\n", sgr, word,
			       text);
	else
		len = snprintf(line, sizeof(line), "tstream: %s%s\n", word, text);
	put_text(line, (size_t)len);
}

static void say_words(const char *word, const char *sgr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say_words(const char *word, const char *sgr, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_line(word, sgr, fmt, args);
	va_end(args);
}

void ts_log_error(const struct ts_error *err)
{
	if (err->hint[0])
		say_words("", "", "%s\n  hint: %s", err->text, err->hint);
	else
		say_words("", "", "%s", err->text);
}

void ts_log_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_line("warning: ", "1;33", fmt, args);
	va_end(args);
}

void ts_log_note(const char *fmt, ...)
{
	va_list args;

	if (!ts_log_enabled(TS_LOG_NORMAL))
		return;
	va_start(args, fmt);
	say_line("note: ", "36", fmt, args);
	va_end(args);
}

void ts_log_say(enum ts_log_level level, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list args;
	size_t len;

	if (!ts_log_enabled(level))
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	ts_escape_text(line, strlen(line), "\n\t");
	len = strlen(line);
	line[len++] = '\n';
	put_text(line, len);
}
