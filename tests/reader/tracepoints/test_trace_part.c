// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_part.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define FIELDS                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"          \
	"\tfield:int state;\toffset:8;\tsize:4;\tsigned:1;\n"                                      \
	"\tfield:int state_of;\toffset:12;\tsize:4;\tsigned:1;\n"                                  \
	"\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n\nprint fmt:"

/* The text and the arguments of the part that shows `state`; "": there is none. */
static const char *part_of_state(const char *print)
{
	static char result[4096];
	static const char head[] = "name: part\nID: 9\n" FIELDS " ";
	struct ts_bytes out = {0};
	struct trace_format format;
	int len = snprintf(result, sizeof(result), "name: event\nID: 7\n" FIELDS " %s\n", print);
	char text[4096];

	memcpy(text, result, (size_t)len);
	cr_assert(trace_format_look(text, (size_t)len, &format) && format.is_printable, "%s",
		  print);
	result[0] = '\0';
	if (trace_part_put(text, (size_t)len, &format, "state", 9, &out)) {
		cr_assert(out.len > sizeof(head) && !memcmp(out.data, head, sizeof(head) - 1));
		len = (int)(out.len - sizeof(head)); /* without the newline */
		snprintf(result, sizeof(result), "%.*s", len, out.data + sizeof(head) - 1);
	}
	ts_bytes_release(&out);
	return result;
}

Test(trace_part, has_the_conversions_behind_the_name)
{
	static const char *const pairs[][2] = {
		{"\"state=%d\", REC->state", "\"%d\", REC->state"},
		{"\"a %d state:%s%s, b\", REC->state_of, __print_symbolic(REC->state, { 0, \"R, "
		 "S\" "
		 "}), REC->state & 1 ? \"+\" : \"\"",
		 "\"%s%s\", __print_symbolic(REC->state, { 0, \"R, S\" }), REC->state & 1 ? \"+\" "
		 ": "
		 "\"\""},
		{"\"100%% %*d \" \"state=0x%x\" \"/%d name=%s\", 3, REC->state_of, REC->state, "
		 "REC->state_of, __get_str(name)",
		 "\"0x%x/%d\", REC->state, REC->state_of"},
		{"\"state %d\", REC->state", "\"%d\", REC->state"},
		{"\"a state: %d; %d\", REC->state, REC->state", "\"%d\", REC->state"},
		{"\"a=%d\nstate=%d\n\", REC->state_of, REC->state", "\"%d\", REC->state"},
		{"\"state=%d state=%d\", REC->state_of, REC->state", "\"%d\", REC->state"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		cr_expect_str_eq(part_of_state(pairs[i][0]), pairs[i][1]);
}

Test(trace_part, is_of_no_other_field)
{
	static const char *const prints[] = {
		"\"none\"",
		"\"state=none %d\", REC->state",
		"\"state is %d\", REC->state",
		"\"state_of=%d\", REC->state",
		"\"[state=%d]\", REC->state",
		"\"state=%d\", REC->state_of",
		"\"name=%s\", __get_str(name)",
	};

	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++)
		cr_expect_str_empty(part_of_state(prints[i]), "%s", prints[i]);
}
