// SPDX-License-Identifier: Apache-2.0
#include "common/base/log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int saved_stderr, pipe_fds[2];

static void catch_stderr(void)
{
	cr_assert_eq(pipe(pipe_fds), 0);
	saved_stderr = dup(STDERR_FILENO);
	dup2(pipe_fds[1], STDERR_FILENO);
	close(pipe_fds[1]);
}

/* The messages printed since; `text` has room for 8192 bytes. */
static void release_stderr(char *text)
{
	size_t len = 0;
	ssize_t n;

	dup2(saved_stderr, STDERR_FILENO);
	while ((n = read(pipe_fds[0], text + len, 8191 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
}

Test(log, prints_the_hint_on_a_line_of_its_own)
{
	struct ts_error err = {.code = 1, .text = "cannot a: b", .hint = "do c"};
	char got[8192];

	catch_stderr();
	ts_log_error(&err);
	release_stderr(got);
	cr_assert_str_eq(got, "tstream: cannot a: b\n  hint: do c\n");
}

Test(log, is_quiet_about_notes_but_not_about_warnings)
{
	char got[8192];

	catch_stderr();
	ts_log_set_level(TS_LOG_QUIET);
	ts_log_note("left out");
	ts_log_warn("lost %d", 3);
	release_stderr(got);
	cr_assert_str_eq(got, "tstream: warning: lost 3\n");
}

Test(log, has_a_name_in_one_line)
{
	char got[8192];

	catch_stderr();
	ts_log_set_level(TS_LOG_NORMAL);
	ts_log_note("only %s is exported", "x\ntstream: note: all is well");
	ts_log_warn("lost:\n  %d", 3);
	release_stderr(got);
	cr_assert_str_eq(got, "tstream: note: only x?tstream: note: all is well is exported\n"
			      "tstream: warning: lost:\n  3\n");
}

Test(log, says_details_only_when_asked)
{
	char got[8192];

	catch_stderr();
	ts_log_set_level(TS_LOG_VERBOSE);
	ts_log_say(TS_LOG_VERBOSE, "writer 0");
	ts_log_say(TS_LOG_DEBUG, "ring 0");
	release_stderr(got);
	cr_assert_str_eq(got, "writer 0\n");
}

Test(log, keeps_control_characters_from_the_terminal)
{
	char got[8192];

	catch_stderr();
	ts_log_note("file '%s'", "a\033[2Jb\rc");
	release_stderr(got);
	cr_assert_str_eq(got, "tstream: note: file 'a?[2Jb?c'\n");
}

Test(log, cuts_a_message_that_is_too_long_and_still_ends_the_line)
{
	static char longest[6000];
	char got[8192];

	memset(longest, 'x', sizeof(longest) - 1);
	catch_stderr();
	ts_log_note("%s", longest);
	ts_log_say(TS_LOG_NORMAL, "%s", longest);
	release_stderr(got);
	cr_assert_lt(strlen(got), 8192);
	cr_assert_eq(got[strlen(got) - 1], '\n');
}
