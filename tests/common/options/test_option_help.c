// SPDX-License-Identifier: Apache-2.0
#include "common/options/option_help.h"

#include <criterion/criterion.h>

static const struct ts_option rows[] = {
	{TS_OPTION_FLAG, "all", 'a', NULL, "everything", .group = "Whom"},
	{TS_OPTION_FLAG, "none", .help = "nothing", .is_beside = true},
	{TS_OPTION_ALIAS, .name = "nobody"},
	{TS_OPTION_TEXT, "sort", 's', "KEYS",
	 "so much is to be said of it that one line does not have enough room for all of the words",
	 .group = "How"},
	{TS_OPTION_TEXT, "level", 'z', "[N]", .is_beside = true},
	{TS_OPTION_TEXT, "a-name-that-is-longer-than-its-column", .value = "VALUE",
	 .help = "and still has help"},
	{TS_OPTION_FLAG, "hidden", .help = "is not there", .is_hidden = true},
	{TS_OPTION_REFUSED, "refused", 0, NULL, .why = "not there"},
	{0},
};

static const struct ts_command command = {.name = "try",
					  .words = "[WORD]",
					  .purpose = "Tries.",
					  .rows = rows,
					  .more = "That is all."};

Test(option_help, is_made_of_the_rows)
{
	struct ts_bytes text = {0};

	ts_option_help(&command, &text);
	ts_bytes_zero(&text, 1);
	cr_assert_not(ts_bytes_failed(&text));
	cr_expect_str_eq(
		(const char *)text.data,
		"Usage: tstream try [OPTION...] [WORD]\n"
		"Tries.\n\n"
		"Whom:    -a, --all                everything; --none  nothing\n"
		"How:     -s, --sort KEYS          so much is to be said of it that one line does "
		"not have\n"
		"                                  enough room for all of the words; -z, "
		"--level[=N]\n"
		"         --a-name-that-is-longer-than-its-column VALUE  and still has help\n"
		"\nThat is all.\n");
	ts_bytes_release(&text);
}
