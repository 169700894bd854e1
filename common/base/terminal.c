// SPDX-License-Identifier: Apache-2.0
#include "common/base/terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80

bool ts_terminal_may_draw_on(int fd)
{
	struct termios mode;
	pid_t foreground;

	if (tcgetattr(fd, &mode) < 0 || !(mode.c_lflag & ICANON))
		return false;
	foreground = tcgetpgrp(fd);
	return foreground < 0 || foreground == getpgrp();
}

bool ts_terminal_may_draw(void)
{
	return ts_terminal_may_draw_on(STDERR_FILENO);
}

size_t ts_terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}

/* One write, so no output of another program gets into the middle of it. */
static void put_text(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored; /* without a terminal the work goes on */
}

void ts_terminal_draw(const char *text)
{
	char line[TS_TERMINAL_LINE_BYTES + 16];

	snprintf(line, sizeof(line), "\r%.*s\033[K\r", TS_TERMINAL_LINE_BYTES, text);
	put_text(line);
}

void ts_terminal_erase(void)
{
	put_text("\r\033[K");
}
