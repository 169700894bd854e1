// SPDX-License-Identifier: Apache-2.0
/*
 * Each line is drawn alone: it is erased, then written with the terminal's wrapping switched off,
 * because characters of double width could otherwise make two lines of it. So a frame may end
 * behind any line.
 */
#include "reader/commands/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/escape_text.h"
#include "common/base/min_max.h"
#include "common/base/terminal.h"
#include "reader/runtime/line_output.h"
#include "reader/runtime/text.h"

#define ROWS_DEFAULT	24
#define COLUMNS_DEFAULT 80

#define LINE_BEGIN "\033[2K\033[?7l"
#define LINE_END   "\033[?7h\n"
#define ALL_CLEAR  "\033[H\033[2J"
#define REST_CLEAR "\r\033[J"

bool screen_is_there(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && !(term && !strcmp(term, "dumb"));
}

void screen_init(struct screen *s, int fd, const struct progress *progress)
{
	*s = (struct screen){.fd = fd, .progress = progress};
}

void screen_release(struct screen *s)
{
	ts_bytes_release(&s->frame);
	*s = (struct screen){0};
}

/*
 * Moves to the beginning of the last frame. After a change of size that place is unknown, so the
 * screen is cleared.
 */
static void put_begin(struct screen *s, bool is_resized)
{
	if (is_resized)
		text_put(&s->frame, ALL_CLEAR);
	else if (s->nr_drawn)
		ts_bytes_printf(&s->frame, "\r\033[%zuA", s->nr_drawn);
}

bool screen_begin(struct screen *s)
{
	struct winsize size = {0};
	size_t rows, columns;

	if (!ts_terminal_may_draw_on(s->fd))
		return false;
	ioctl(s->fd, TIOCGWINSZ, &size);
	rows = size.ws_row ? size.ws_row : ROWS_DEFAULT;
	columns = size.ws_col ? size.ws_col : COLUMNS_DEFAULT;
	ts_bytes_clear(&s->frame);
	put_begin(s, s->nr_drawn && (s->rows != rows || s->columns != columns));
	s->rows = rows;
	s->columns = columns;
	s->nr_lines = 0;
	s->room = rows - 1;
	return true;
}

size_t screen_room(const struct screen *s)
{
	return s->room;
}

void screen_narrow(struct screen *s, size_t lines)
{
	s->room = ts_min(lines, s->rows - 1 - s->nr_lines);
}

/* The bytes of the characters that fit into the columns. */
static size_t fitting_bytes(const char *line, size_t len, size_t columns)
{
	size_t at = 0;

	for (size_t i = 0; i < columns && at < len; i++) {
		uint32_t ignored;
		size_t bytes = ts_escape_utf8_bytes(line + at, len - at, &ignored);

		at += bytes ? bytes : 1;
	}
	return at;
}

int screen_put(struct screen *s, const struct ts_bytes *text)
{
	const char *at = (const char *)text->data, *end = at + text->len;

	if (ts_bytes_failed(text))
		return -ENOMEM;
	for (const char *next; at < end && s->room; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const size_t len = (size_t)((newline ? newline : end) - at);

		next = newline ? newline + 1 : end;
		text_put(&s->frame, LINE_BEGIN);
		ts_bytes_put(&s->frame, at, fitting_bytes(at, len, s->columns));
		text_put(&s->frame, LINE_END);
		s->nr_lines++;
		s->room--;
	}
	return ts_bytes_failed(&s->frame) ? -ENOMEM : !s->room;
}

static int put_out(struct screen *s)
{
	return ts_bytes_failed(&s->frame)
		       ? -ENOMEM
		       : line_output_write(s->fd, s->progress, s->frame.data, s->frame.len);
}

int screen_show(struct screen *s)
{
	text_put(&s->frame, REST_CLEAR);
	s->nr_drawn = s->nr_lines;
	return put_out(s);
}

/*
 * At the end of following a stop may be raised already, so this write does not check the progress.
 */
static void put_last(struct screen *s)
{
	s->progress = NULL;
	if (s->rows && ts_terminal_may_draw_on(s->fd))
		put_out(s);
	s->nr_drawn = 0;
}

void screen_erase(struct screen *s)
{
	ts_bytes_clear(&s->frame);
	put_begin(s, false);
	text_put(&s->frame, REST_CLEAR);
	put_last(s);
}

void screen_leave(struct screen *s)
{
	ts_bytes_clear(&s->frame);
	text_put(&s->frame, REST_CLEAR);
	put_last(s);
}
