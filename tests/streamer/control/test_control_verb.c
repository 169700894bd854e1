// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/control_verb.h"

#include <criterion/criterion.h>
#include <string.h>

Test(control_verb, knows_no_line_that_is_too_long)
{
	char line[4096] = "snapshot ", argument[CONTROL_LINE_BYTES];

	memset(line + 9, 'x', CONTROL_LINE_BYTES - 10);
	cr_expect_eq(control_verb_parse(line, argument), CONTROL_SNAPSHOT);
	cr_expect_str_eq(argument, line + 9);
	memset(line + 9, 'x', sizeof(line) - 10);
	cr_expect_eq(control_verb_parse(line, argument), CONTROL_UNKNOWN);
}
