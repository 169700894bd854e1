// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/screen.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define LINE(text) "\033[2K\033[?7l" text "\033[?7h\n"
#define END	   "\r\033[J"

static int master = -1, terminal = -1;
static struct screen screen;
static char drawn[4096];

static void resize(unsigned short rows, unsigned short columns)
{
	const struct winsize size = {.ws_row = rows, .ws_col = columns};

	cr_assert_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

static void init(void)
{
	struct termios mode;

	cr_assert_eq(openpty(&master, &terminal, NULL, NULL, NULL), 0);
	cr_assert_eq(tcgetattr(terminal, &mode), 0);
	mode.c_oflag &= ~(tcflag_t)OPOST;
	cr_assert_eq(tcsetattr(terminal, TCSANOW, &mode), 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	resize(5, 8);
	screen_init(&screen, terminal, NULL);
}

static void fini(void)
{
	screen_release(&screen);
	close(terminal);
	close(master);
}

TestSuite(screen, .init = init, .fini = fini);

static int put(const char *text)
{
	struct ts_bytes bytes = {0};
	int rc;

	ts_bytes_put(&bytes, text, strlen(text));
	rc = screen_put(&screen, &bytes);
	ts_bytes_release(&bytes);
	return rc;
}

/* Output may come in parts if the machine is busy. */
static void expect_drawn(const char *wanted)
{
	struct pollfd readable = {.fd = master, .events = POLLIN};
	size_t len = 0;

	while (len < strlen(wanted) && poll(&readable, 1, 10000) == 1) {
		ssize_t got = read(master, drawn + len, sizeof(drawn) - 1 - len);

		if (got <= 0)
			break;
		len += (size_t)got;
	}
	drawn[len] = '\0';
	cr_expect_str_eq(drawn, wanted);
}

/* Shows the text as a frame of its own. */
static void show(const char *text)
{
	cr_assert(screen_begin(&screen));
	put(text);
	cr_expect_eq(screen_show(&screen), 0);
}

Test(screen, cuts_lines_to_its_width)
{
	show("12345678\n123456789\n\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\n\xff");
	expect_drawn(LINE("12345678") LINE("12345678") LINE(
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9") LINE("\xff") END);
}

Test(screen, has_room_for_all_rows_but_that_of_the_cursor)
{
	cr_assert(screen_begin(&screen));
	cr_expect_eq(screen_room(&screen), 4);
	cr_expect_eq(put("a\nb\nc\n"), 0);
	cr_expect_eq(put("d\ne\n"), 1);
	cr_expect_eq(screen_show(&screen), 0);
	expect_drawn(LINE("a") LINE("b") LINE("c") LINE("d") END);
}

Test(screen, gives_no_more_room_than_it_is_narrowed_to)
{
	cr_assert(screen_begin(&screen));
	screen_narrow(&screen, 1);
	cr_expect_eq(put("a\nb\n"), 1);
	screen_narrow(&screen, 100);
	cr_expect_eq(screen_room(&screen), 3);
}

Test(screen, draws_over_the_frame_before)
{
	show("a\nb\n");
	expect_drawn(LINE("a") LINE("b") END);
	show("c\n");
	expect_drawn("\r\033[2A" LINE("c") END);
	show("d\n");
	expect_drawn("\r\033[1A" LINE("d") END);
}

Test(screen, begins_anew_when_its_size_has_changed)
{
	show("a\n");
	resize(5, 4);
	show("12345\n");
	expect_drawn(LINE("a") END "\033[H\033[2J" LINE("1234") END);
}

Test(screen, takes_its_frame_away)
{
	show("a\nb\n");
	screen_erase(&screen);
	screen_erase(&screen);
	expect_drawn(LINE("a") LINE("b") END "\r\033[2A" END END);
}

Test(screen, leaves_its_frame)
{
	show("a\n");
	screen_leave(&screen);
	show("b\n");
	expect_drawn(LINE("a") END END LINE("b") END);
}
