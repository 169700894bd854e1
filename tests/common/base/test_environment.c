// SPDX-License-Identifier: Apache-2.0
#include "common/base/environment.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

Test(environment, keeps_what_names_no_file_program_or_server)
{
	clearenv();
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("NO_COLOR", "", 1);
	cr_assert_eq(ts_environment_distrust(), 0);
	cr_expect_str_eq(getenv("TERM"), "xterm");
	cr_expect_str_eq(getenv("LC_ALL"), "C.UTF-8");
	cr_expect_str_eq(getenv("NO_COLOR"), "");
}

Test(environment, drops_everything_else)
{
	static const char *const names[] = {
		"HWLOC_PLUGINS_PATH", "PAGER",	  "LESSOPEN",  "TMPDIR", "HOME",
		"DEBUGINFOD_URLS",    "TERMINFO", "LANGUAGES", "X"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		setenv(names[i], "/tmp/of-anybody", 1);
	cr_assert_eq(ts_environment_distrust(), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_null(getenv(names[i]), "%s", names[i]);
}

Test(environment, has_the_path_of_the_system)
{
	setenv("PATH", "/tmp/of-anybody", 1);
	cr_assert_eq(ts_environment_distrust(), 0);
	cr_expect_null(strstr(getenv("PATH"), "/tmp"));
	cr_expect_not_null(strstr(getenv("PATH"), "/usr/bin"));
}

Test(environment, of_the_caller_stands_behind_the_arguments)
{
	char *block[] = {"tstream", "record", NULL, "A=1", "PATH=/mine", NULL};

	cr_expect_eq(ts_environment_of_caller(2, block), block + 3);
	cr_expect_eq(ts_environment_of_caller(1, block + 1), block + 3);
}

Test(environment, finds_a_value_by_its_whole_name)
{
	char *const environment[] = {"PATHS=no", "PATH=/mine", "EMPTY=", NULL};

	cr_expect_str_eq(ts_environment_value(environment, "PATH"), "/mine");
	cr_expect_str_eq(ts_environment_value(environment, "EMPTY"), "");
	cr_expect_null(ts_environment_value(environment, "PAT"));
}
