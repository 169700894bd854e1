// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/perf_control.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streamer/control/control_verb.h"
#include "tests/support/scratch.h"

#define NOW_NS 1000

struct channel { /* the other side of a control */
	int command[2], ack[2];
	struct perf_control control;
};

static void open_channel(struct channel *ch)
{
	struct ts_error err;
	char spec[64];

	cr_assert_eq(pipe(ch->command), 0);
	cr_assert_eq(pipe(ch->ack), 0);
	snprintf(spec, sizeof(spec), "fd:%d,%d", ch->command[0], ch->ack[1]);
	cr_assert_eq(perf_control_open(&ch->control, spec, &err), 0, "%s", err.text);
}

static void tell(struct channel *ch, const char *text, size_t len)
{
	cr_assert_eq(write(ch->command[1], text, len), (ssize_t)len);
}

/* The verb of the next line, or one of these. */
enum { NOTHING = -1, HUNG_UP = -2 };

static int next(struct perf_control *c, uint64_t now_ns, char *argument)
{
	char line[CONTROL_LINE_BYTES];

	switch (perf_control_next(c, now_ns, line)) {
	case PERF_CONTROL_NOTHING:
		return NOTHING;
	case PERF_CONTROL_HUNG_UP:
		return HUNG_UP;
	default:
		return control_verb_parse(line, argument);
	}
}

Test(perf_control, reads_perfs_words_with_their_argument)
{
	static const struct {
		const char *line;
		enum control_verb verb;
		const char *argument;
	} cases[] = {
		{"enable\n", CONTROL_ENABLE, ""},
		{"enable cpu-clock\n", CONTROL_ENABLE, "cpu-clock"},
		{"disable sched:sched_switch\n", CONTROL_DISABLE, "sched:sched_switch"},
		{"stop\n", CONTROL_STOP, ""},
		{"ping\n", CONTROL_PING, ""},
		{"evlist -g\n", CONTROL_EVLIST, "-g"},
		{"enabled\n", CONTROL_ENABLE, "d"}, /* a prefix, as in perf */
	};
	char argument[CONTROL_LINE_BYTES];
	struct channel ch;

	open_channel(&ch);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tell(&ch, cases[i].line, strlen(cases[i].line));
		cr_expect_eq(next(&ch.control, NOW_NS, argument), (int)cases[i].verb, "%s",
			     cases[i].line);
		cr_expect_str_eq(argument, cases[i].argument);
	}
}

Test(perf_control, takes_one_command_at_a_time_ended_by_newline_nul_or_a_pause)
{
	char argument[CONTROL_LINE_BYTES];
	struct channel ch;

	open_channel(&ch);
	tell(&ch, "ping\nstop\0enable", strlen("ping\nstop") + 1 + strlen("enable"));
	cr_expect_eq(next(&ch.control, NOW_NS, argument), CONTROL_PING);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), CONTROL_STOP);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), NOTHING);
	cr_expect_eq(perf_control_due_ns(&ch.control), NOW_NS + PERF_CONTROL_REST_NS);
	cr_expect_eq(next(&ch.control, NOW_NS + PERF_CONTROL_REST_NS, argument), CONTROL_ENABLE);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), NOTHING);
	cr_expect_eq(perf_control_due_ns(&ch.control), TS_TIME_NEVER);
}

Test(perf_control, waits_for_the_rest_of_a_line)
{
	static const char text[] = "disable cpu-clock\nping\n";
	char argument[CONTROL_LINE_BYTES];
	struct channel ch;
	uint64_t now_ns = NOW_NS;

	open_channel(&ch);
	for (size_t i = 0; i < strlen("disable cpu-clock");
	     i++, now_ns += PERF_CONTROL_REST_NS / 2) {
		tell(&ch, text + i, 1);
		cr_expect_eq(next(&ch.control, now_ns, argument), NOTHING);
	}
	tell(&ch, strchr(text, '\n'), strlen("\npi"));
	cr_expect_eq(next(&ch.control, now_ns, argument), CONTROL_DISABLE);
	cr_expect_str_eq(argument, "cpu-clock");
	cr_expect_eq(next(&ch.control, now_ns, argument), NOTHING);
	tell(&ch, "ng\n", 3);
	cr_expect_eq(next(&ch.control, now_ns, argument), CONTROL_PING);
}

Test(perf_control, ignores_a_line_that_is_too_long_up_to_its_end)
{
	char argument[CONTROL_LINE_BYTES], text[3 * CONTROL_LINE_BYTES];
	int verb = NOTHING;
	struct channel ch;

	for (size_t i = 0; i < sizeof(text); i += 5)
		memcpy(text + i, "stop ", sizeof(text) - i < 5 ? sizeof(text) - i : 5);
	open_channel(&ch);
	tell(&ch, text, sizeof(text));
	tell(&ch, "\nping\n", strlen("\nping\n"));
	for (int i = 0; i < 8 && verb != CONTROL_PING; i++) {
		verb = next(&ch.control, NOW_NS, argument);
		cr_expect_neq(verb, CONTROL_STOP);
	}
	cr_expect_eq(verb, CONTROL_PING);
}

Test(perf_control, takes_what_came_before_the_other_side_hung_up)
{
	char argument[CONTROL_LINE_BYTES];
	struct channel ch;

	open_channel(&ch);
	tell(&ch, "stop", 4);
	close(ch.command[1]);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), CONTROL_STOP);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), HUNG_UP);
}

Test(perf_control, calls_other_words_unknown)
{
	char argument[CONTROL_LINE_BYTES];
	struct channel ch;

	open_channel(&ch);
	tell(&ch, "rewind\n\n", 8);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), CONTROL_UNKNOWN);
	cr_expect_eq(next(&ch.control, NOW_NS, argument), CONTROL_UNKNOWN);
}

Test(perf_control, acknowledges_with_five_bytes)
{
	struct channel ch;
	char got[16];

	open_channel(&ch);
	perf_control_acknowledge(&ch.control);
	cr_assert_eq(read(ch.ack[0], got, sizeof(got)), 5);
	cr_assert_eq(memcmp(got, "ack\n\0", 5), 0);
}

Test(perf_control, waits_for_no_reader_of_acknowledgements, .timeout = 60)
{
	char full[4096] = "", got[16];
	const ssize_t bytes = sizeof(full);
	struct channel ch;

	open_channel(&ch);
	cr_assert_eq(fcntl(ch.ack[1], F_SETPIPE_SZ, (int)bytes), bytes);
	cr_assert_eq(write(ch.ack[1], full, sizeof(full)), bytes);
	perf_control_acknowledge(&ch.control);
	cr_assert_eq(read(ch.ack[0], full, sizeof(full)), bytes);
	perf_control_acknowledge(&ch.control);
	cr_expect_eq(read(ch.ack[0], got, sizeof(got)), 5, "of the second one only");
}

Test(perf_control, ends_when_the_other_side_hangs_up)
{
	char argument[CONTROL_LINE_BYTES];
	struct channel ch;

	open_channel(&ch);
	close(ch.command[1]);
	cr_assert_eq(next(&ch.control, NOW_NS, argument), HUNG_UP);
}

Test(perf_control, keeps_a_fifo_open_when_writers_come_and_go)
{
	char path[64], spec[80];
	struct scratch dir;
	char argument[CONTROL_LINE_BYTES];
	struct perf_control c;
	struct ts_error err;
	int fd;

	scratch_make(&dir);
	snprintf(path, sizeof(path), "%s/ctl", dir.path);
	snprintf(spec, sizeof(spec), "fifo:%s", path);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(perf_control_open(&c, spec, &err), 0, "%s", err.text);
	fd = open(path, O_WRONLY);
	cr_assert_eq(write(fd, "ping\n", 5), 5);
	close(fd);
	cr_expect_eq(next(&c, NOW_NS, argument), CONTROL_PING);
	cr_expect_eq(next(&c, NOW_NS, argument), NOTHING);
	perf_control_close(&c);
	scratch_remove(&dir);
}

Test(perf_control, refuses_what_is_no_specification)
{
	static const char *const bad[] = {"",
					  "10",
					  "fd:",
					  "fd:x",
					  "fd:1,",
					  "fd:1,2,3",
					  "fd:-1",
					  "fifo:",
					  "fifo:,b",
					  "fifo:a,",
					  "file:a",
					  "fd:1 2",
					  "fd:99999999999999999999"};
	struct ts_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_lt(perf_control_check(bad[i], &err), 0, "%s", bad[i]);
}

Test(perf_control, refuses_a_closed_descriptor_and_a_plain_file)
{
	struct perf_control c;
	struct ts_error err;

	cr_expect_lt(perf_control_open(&c, "fd:999", &err), 0);
	cr_expect_lt(perf_control_open(&c, "fifo:/etc/passwd", &err), 0);
	cr_expect_lt(perf_control_open(&c, "fifo:/nonexistent/fifo", &err), 0);
}
