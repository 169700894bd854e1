// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "streamer/directory/cut.h"

Test(cut, writes_the_stamp_of_perf)
{
	char text[CUT_STAMP_BYTES];

	setenv("TZ", "UTC", 1);
	tzset();
	cut_stamp(text, (struct timespec){.tv_sec = 1450780454, .tv_nsec = 687654321});
	cr_expect_str_eq(text, "2015122210341468");
}

Test(cut, takes_names_that_can_stand_behind_a_stamp)
{
	char longest[CUT_NAME_MAX + 2];
	struct ts_error err;

	memset(longest, 'n', sizeof(longest));
	longest[CUT_NAME_MAX + 1] = '\0';
	cr_expect_eq(cut_name_check(longest, &err), -EINVAL);
	longest[CUT_NAME_MAX] = '\0';
	cr_expect_eq(cut_name_check(longest, &err), 0);
	cr_expect_eq(cut_name_check("oom-7.late", &err), 0);
	for (size_t i = 0; i < 5; i++) {
		const char *name = ((const char *[]){"", ".hidden", "../up", "a b", "tab\t"})[i];

		cr_expect_eq(cut_name_check(name, &err), -EINVAL, "'%s'", name);
	}
}
