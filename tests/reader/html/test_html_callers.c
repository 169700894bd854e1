// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_callers.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MAIN, READ, SH, SYSCALL, LIBRARY, UNKNOWN, NAMED_SO, LOOKS };

static struct frame_look names[LOOKS] = {
	[MAIN] = {.name = "main"},
	[READ] = {.name = "read"},
	[SH] = {.name = "sh", .kind = FRAME_KIND_COMMAND},
	[SYSCALL] = {.name = "syscall", .kind = FRAME_KIND_KERNEL},
	[LIBRARY] = {.name = "[libc.so.6]", .kind = FRAME_KIND_UNKNOWN},
	[UNKNOWN] = {.name = "[unknown]", .kind = FRAME_KIND_UNKNOWN},
	[NAMED_SO] = {.name = "[unknown]"},
};
static const struct frame_looks looks = {.items = names, .nr = LOOKS};
static uint32_t numbers[] = {SH,      UNKNOWN, READ, SH,      MAIN, LIBRARY, NAMED_SO, READ,
			     SYSCALL, SH,      READ, UNKNOWN, SH,   SYSCALL, UNKNOWN,  SYSCALL};
static struct stack_path items[] = {
	{.first = 0, .nr = 3}, /* sh;[unknown];read */
	{.first = 3,
	 .nr = 6}, /* sh;main;[libc.so.6];[unknown];read;syscall: the third has that name */
	{.first = 9, .nr = 3},	/* sh;read;[unknown]: the leaf */
	{.first = 12, .nr = 2}, /* sh;syscall */
};
static struct stack_paths paths = {
	.looks = &looks, .items = items, .nr = 4, .numbers = numbers, .nr_sides = 1};
static struct ts_event event;
static const struct ts_events events = {.items = &event, .nr = 1};
static const struct html_source source = {.events = &events, .paths = &paths};

/* The sentence about so many samples of each path. */
static const char *said(uint64_t unknown, uint64_t known, uint64_t leaf, uint64_t kernel)
{
	const uint64_t samples[] = {unknown, known, leaf, kernel};
	static struct ts_bytes text;

	paths.weight[STACK_NEW] = (struct stack_weight){0};
	for (int i = 0; i < 4; i++) {
		items[i].weight[STACK_NEW] = (struct stack_weight){samples[i], 1000};
		stack_weight_add(&paths.weight[STACK_NEW], &items[i].weight[STACK_NEW]);
	}
	ts_bytes_clear(&text);
	html_callers_put(&source, &text);
	ts_bytes_put(&text, "", 1);
	return (const char *)text.data;
}

static void init(void)
{
	event.attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	event.attr.branch_sample_type = 0;
}

TestSuite(html_callers, .init = init);

Test(html_callers, are_told_of_if_most_are_unknown)
{
	cr_expect(
		!strncmp(said(30, 10, 0, 5), "75% of the samples with callers in user space", 45));
	cr_expect_str_eq(said(20, 20, 0, 0), "");
	cr_expect(*said(21, 20, 0, 0));
	cr_expect_str_eq(said(21, 20, 1, 0), "", "an unknown leaf is no caller");
}

Test(html_callers, are_not_told_of_if_they_are_few)
{
	cr_expect_str_eq(said(0, 0, 0, 0), "");
	cr_expect_str_eq(said(0, 0, 0, 10), "");
	cr_expect(*said(1, 0, 0, 19));
	cr_expect_str_eq(said(1, 0, 0, 20), "");
}

Test(html_callers, are_not_told_of_if_they_were_found_otherwise)
{
	event.attr.sample_type |= PERF_SAMPLE_STACK_USER;
	cr_expect_str_eq(said(10, 0, 0, 0), "");
	event.attr.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	cr_expect(*said(10, 0, 0, 0));
	event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	cr_expect_str_eq(said(10, 0, 0, 0), "");
	event.attr.sample_type = 0;
	cr_expect_str_eq(said(10, 0, 0, 0), "");
}
