// SPDX-License-Identifier: Apache-2.0
#include "common/base/error.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(error, returns_the_negative_code_and_keeps_the_sentence)
{
	struct ts_error err;

	cr_assert_eq(ts_error_set(&err, EINVAL, "cannot read CPUs '%s': no number", "x"), -EINVAL);
	cr_assert_eq(err.code, EINVAL);
	cr_assert_str_eq(err.text, "cannot read CPUs 'x': no number");
	cr_assert_str_empty(err.hint);
}

Test(error, ends_with_the_reason_of_the_system)
{
	struct ts_error err;

	ts_error_sys(&err, ENOENT, "cannot open %s", "cap/data");
	cr_assert_str_eq(err.text, "cannot open cap/data: No such file or directory");
}

Test(error, drops_the_hint_of_an_earlier_failure)
{
	struct ts_error err;

	ts_error_set(&err, EPERM, "cannot open event");
	cr_assert_eq(ts_error_hint(&err, "set kernel.perf_event_paranoid to %d", 1), -EPERM);
	cr_assert_str_eq(err.hint, "set kernel.perf_event_paranoid to 1");
	ts_error_set(&err, EIO, "cannot write");
	cr_assert_str_empty(err.hint);
}

Test(error, cuts_a_sentence_that_does_not_fit)
{
	struct ts_error err;
	char longest[2000];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ts_error_sys(&err, EIO, "cannot write %s", longest);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
	cr_assert_eq(strncmp(err.text, "cannot write xxx", 16), 0);
	cr_assert_not_null(strstr(err.text, "xxx...xxx"));
	cr_assert_str_eq(err.text + strlen(err.text) - 23, "xxx: Input/output error");
	ts_error_set(&err, EIO, "cannot write %s: it is no file", longest);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
	cr_assert_str_eq(err.text + strlen(err.text) - 18, "xxx: it is no file");
}

Test(error, keeps_names_in_their_line)
{
	struct ts_error err;

	ts_error_set(&err, EINVAL, "cannot find '%s'", "x\ntstream: note: all is well\033[2J");
	cr_assert_str_eq(err.text, "cannot find 'x?tstream: note: all is well?[2J'");
	ts_error_hint(&err, "give %s", "a\nb");
	cr_assert_str_eq(err.hint, "give a?b");
}

Test(error, of_the_machine_is_a_shortage_or_a_bad_disk)
{
	cr_assert(ts_error_is_shortage(ENOMEM) && ts_error_is_of_machine(ENOMEM));
	cr_assert(ts_error_is_shortage(EMFILE) && ts_error_is_of_machine(EMFILE));
	cr_assert(ts_error_is_shortage(ENFILE) && ts_error_is_of_machine(ENFILE));
	cr_assert(!ts_error_is_shortage(EIO) && ts_error_is_of_machine(EIO));
	cr_assert(!ts_error_is_shortage(ENOENT) && !ts_error_is_of_machine(ENOENT));
}
