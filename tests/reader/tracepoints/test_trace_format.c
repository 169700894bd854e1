// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_format.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#define EVENTS	   "/sys/kernel/tracing/events"
#define FORMAT_MAX (1 << 20)

#define HEAD                                                                                       \
	"name: event\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;"     \
	"\tsigned:0;\n\n\tfield:int len;\toffset:8;\tsize:4;\tsigned:1;\n"                         \
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"                                \
	"\tfield:__data_loc u8[] buf;\toffset:28;\tsize:4;\tsigned:0;\n"                           \
	"\tfield:__rel_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n\nprint fmt: "

static bool is_printable(const char *print)
{
	struct trace_format format;
	char text[4096];
	int len = snprintf(text, sizeof(text), "%s%s\n", HEAD, print);

	cr_assert(trace_format_look(text, (size_t)len, &format));
	cr_expect_eq(format.id, 7);
	cr_expect_eq(format.head_bytes, sizeof(HEAD) - 2); /* without the blank */
	return format.is_printable;
}

Test(trace_format, takes_what_the_kernel_writes)
{
	static const char *const prints[] = {
		"\"none\"",
		"\"%d %s %%\", REC->len, REC->comm",
		"\"%s\" \" %s\", __get_str(buf), __get_rel_str(name)",
		"\"%s\", __print_flags(REC->len & ~(1UL << 3), \"|\", { (1 << 0), \"A\" }, { 0x4, "
		"\"B\" })",
		"\"%s\", REC->len ? __print_symbolic(REC->len, { -1, \"x\" }, { 2, ((void *)0) }) "
		": \"none\"",
		"\"%.*s\", REC->len, __get_str(buf)",
		"\"%*pbl\", (1 << 10), REC->comm",
		"\"%s\", __print_hex(__get_dynamic_array(buf), REC->len)",
		"\"%s\", __print_array(__get_dynamic_array(buf), __get_dynamic_array_len(buf) / "
		"sizeof(u64), sizeof(u64))",
		"\"%02x:%02x\", REC->comm[0], (unsigned char)REC->comm[1]",
		"\"%lu%s\", (unsigned long)(REC->len / 10 % 7), !!REC->len == 1 ? \"a\" : \"b\"",
		"\"%pS %pI4\", (void *)REC->len, REC->comm",
	};

	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++)
		cr_expect(is_printable(prints[i]), "%s", prints[i]);
}

Test(trace_format, has_nothing_printed_that_reads_outside_of_a_sample)
{
	static const char *const prints[] = {
		"",
		"\"%d\"",
		"\"%d\", REC->len, REC->len",
		"\"%d\", REC->unknown",
		"\"%d\", (REC->len",
		"\"%n\", REC->len",
		"\"%1000000000d\", REC->len",
		"\"%*d\", REC->len + 1, REC->len",
		"\"%*d\", REC->len, REC->len",
		"\"%d\", 1 / REC->len",
		"\"%d\", 1 % 0",
		"\"%s\", __get_str(len)",
		"\"%s\", __get_str(name)",
		"\"%s\", __get_rel_str(buf)",
		"\"%d\", __get_rel_dynamic_array_len(name)",
		"\"%s\", __print_hex(__get_rel_dynamic_array(name), "
		"__get_rel_dynamic_array_len(name))",
		"\"%d\", REC->comm[REC->len]",
		"\"%d\", REC->comm[70000]",
		"\"%s\", __print_hex(REC->comm, 100000)",
		"\"%s\", __print_hex((u8 *)REC->len, 4)",
		"\"%s\", __print_array(REC->comm, 4, 0)",
		"\"%d\", 1 + __print_symbolic(REC->len, { 1, \"a\" })",
		"\"%s\", __print_symbolic(REC->len, { REC->len, \"a\" })",
		"\"%d\", call_me(REC->len)",
		"\"%s\", \"no end",
	};

	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++)
		cr_expect(!is_printable(prints[i]), "%s", prints[i]);
}

static bool is_sound(const char *text)
{
	struct trace_format format;

	return trace_format_look(text, strlen(text), &format);
}

#define IDS    "name: event\nID: 7\nformat:\n"
#define TYPE   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
#define NAMES  IDS TYPE
#define FIELD  "\tfield:int len;\toffset:8;\tsize:4;\tsigned:1;\n"
#define BEHIND "\n\nprint fmt: \"\"\n"

Test(trace_format, refuses_heads_that_no_kernel_writes)
{
	cr_expect(is_sound(NAMES BEHIND));
	cr_expect(is_sound(NAMES FIELD BEHIND));
	cr_expect(!is_sound(""));
	cr_expect(!is_sound(NAMES FIELD));
	cr_expect(!is_sound("name: bprint\nID: 7\nformat:\n" TYPE FIELD BEHIND));
	cr_expect(!is_sound("name: event\nID: x\nformat:\n" TYPE FIELD BEHIND));
	cr_expect(!is_sound("name: event\nID: 65543\nformat:\n" TYPE FIELD BEHIND));
	cr_expect(!is_sound(NAMES "\tfield:len;\toffset:8;\tsize:4;\tsigned:1;\n" BEHIND));
	cr_expect(!is_sound(NAMES "\tfield:int len[;\toffset:8;\tsize:4;\tsigned:1;\n" BEHIND));
	cr_expect(!is_sound(NAMES "\tfield:int len;\toffset:-8;\tsize:4;\tsigned:1;\n" BEHIND));
	cr_expect(!is_sound(NAMES "\tfield:int len;\toffset:8;\tsize:70000;\tsigned:1;\n" BEHIND));
	cr_expect(!is_sound(
		NAMES "\tfield:__data_loc char[] s;\toffset:8;\tsize:2;\tsigned:1;\n" BEHIND));
}

Test(trace_format, asks_samples_how_far_they_have_something_read)
{
	static const char text[] = HEAD "\"%s\", __print_hex(__get_dynamic_array(buf), REC->len)\n";
	struct trace_format format;
	uint8_t raw[64] = {0};

	cr_assert(trace_format_look(text, sizeof(text) - 1, &format));
	cr_assert(format.is_printable && format.reads_ahead);
	cr_expect(trace_format_fits(&format, raw, sizeof(raw)));
	raw[8] = sizeof(raw);
	cr_expect(trace_format_fits(&format, raw, sizeof(raw)));
	raw[8]++;
	cr_expect(!trace_format_fits(&format, raw, sizeof(raw)));
	raw[8] = 0;
	raw[11] = 0x80;
	cr_expect(!trace_format_fits(&format, raw, sizeof(raw)));
	cr_expect_geq(trace_format_zeros(&format, sizeof(raw)), 8 * sizeof(raw));
}

/* Samples are looked up by their type. If it lay elsewhere, libtraceevent would read there. */
Test(trace_format, refuses_events_whose_type_is_not_at_the_beginning)
{
	cr_expect(!is_sound(IDS BEHIND));
	cr_expect(!is_sound(IDS FIELD TYPE BEHIND));
	cr_expect(!is_sound(IDS "\tfield:unsigned short common_type;\toffset:60000;\tsize:2;"
				"\tsigned:0;\n" BEHIND));
	cr_expect(!is_sound(
		IDS "\tfield:unsigned char common_type;\toffset:0;\tsize:1;\tsigned:0;\n" BEHIND));
}

/* If a text is refused, libtraceevent gets the part before it. */
Test(trace_format, leaves_the_fields_of_an_event_without_a_text)
{
	struct tep_handle *tep = tep_alloc();
	const struct tep_event *event;

	cr_assert_not_null(tep);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_parse_event(tep, HEAD, sizeof(HEAD) - 2, "any");
	event = tep_find_event(tep, 7);
	cr_assert_not_null(event);
	cr_expect_eq(event->format.nr_fields, 4);
	cr_expect(event->flags & TEP_EVENT_FL_FAILED);
	tep_free(tep);
}

static size_t read_text(const char *path, char *text)
{
	FILE *f = fopen(path, "r");
	size_t len = f ? fread(text, 1, FORMAT_MAX, f) : 0;

	if (f)
		fclose(f);
	return len;
}

/* libtraceevent keeps some text of formats that it cannot parse. AddressSanitizer asks for this. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:can_be_parsed\n";
}

static bool can_be_parsed(const char *text, size_t len)
{
	struct tep_handle *tep = tep_alloc();
	const struct tep_event *event;
	bool ok;

	cr_assert_not_null(tep);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	ok = !tep_parse_event(tep, text, len, "any");
	event = tep_get_first_event(tep);
	ok = ok && event && !(event->flags & TEP_EVENT_FL_FAILED);
	tep_free(tep);
	return ok;
}

Test(trace_format, has_every_event_of_this_kernel_printed_that_libtraceevent_can_print)
{
	char *text = malloc(FORMAT_MAX);
	glob_t found;

	cr_assert_not_null(text);
	if (glob(EVENTS "/*/*/format", 0, NULL, &found))
		found.gl_pathc = 0;
	if (!found.gl_pathc)
		cr_skip("the formats of this kernel cannot be read");
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		size_t len = read_text(path, text);
		struct trace_format format;

		if (!len || !strncmp(path, EVENTS "/ftrace/", strlen(EVENTS "/ftrace/")))
			continue;
		cr_assert(trace_format_look(text, len, &format), "%s", path);
		cr_expect(format.is_printable || !can_be_parsed(text, len), "%s: %s", path,
			  text + format.head_bytes);
	}
	globfree(&found);
	free(text);
}
