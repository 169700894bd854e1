// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/tracing_data.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

static struct scratch root;

static void make_tracefs(void)
{
	scratch_make(&root);
	scratch_put(&root, "events/header_page", "page");
	scratch_put(&root, "events/header_event", "event");
	scratch_put(&root, "events/sched/sched_switch/format", "ID: 1");
	scratch_put(&root, "events/sched/sched_wakeup/format", "ID: 22");
	scratch_put(&root, "events/irq/irq_handler_entry/format", "ID: 333");
	scratch_put(&root, "events/ftrace/function/format", "ID: 4");
	scratch_put(&root, "printk_formats", "0x1 : \"a\"\n");
	scratch_put(&root, "saved_cmdlines", "1 init\n");
}

static void remove_tracefs(void)
{
	scratch_remove(&root);
}

TestSuite(tracing_data, .init = make_tracefs, .fini = remove_tracefs);

static struct event tracepoint(const char *system, const char *name)
{
	return (struct event){.system = (char *)system, .tracepoint = (char *)name};
}

/* Takes bytes that must be these from *at on. */
static void expect(const struct ts_bytes *b, size_t *at, const void *bytes, size_t len)
{
	cr_assert_leq(*at + len, b->len);
	cr_assert_eq(memcmp(b->data + *at, bytes, len), 0, "at byte %zu", *at);
	*at += len;
}

static void expect_u32(const struct ts_bytes *b, size_t *at, uint32_t v)
{
	expect(b, at, &v, sizeof(v));
}

static void expect_text(const struct ts_bytes *b, size_t *at, const char *text)
{
	uint64_t len = strlen(text);

	expect(b, at, &len, sizeof(len));
	expect(b, at, text, len);
}

Test(tracing_data, holds_each_format_once_sorted_by_system)
{
	struct event items[] = {tracepoint("sched", "sched_wakeup"),
				{.name = (char *)"cpu-clock"},
				tracepoint("irq", "irq_handler_entry"),
				tracepoint("sched", "sched_switch"),
				tracepoint("sched", "sched_wakeup")};
	struct event_list events = {.items = items, .nr = 5};
	uint8_t sizes[] = {__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long)};
	struct ts_bytes out = {0};
	struct ts_error err;
	size_t at = 0;

	cr_assert_eq(tracing_data_collect(&out, root.path, &events, &err), 0, "%s", err.text);
	expect(&out, &at,
	       "\x17\x08\x44tracing"
	       "0.6",
	       14);
	expect(&out, &at, sizes, sizeof(sizes));
	expect_u32(&out, &at, (uint32_t)sysconf(_SC_PAGESIZE));
	expect(&out, &at, "header_page", 12);
	expect_text(&out, &at, "page");
	expect(&out, &at, "header_event", 13);
	expect_text(&out, &at, "event");
	expect_u32(&out, &at, 0); /* of ftrace */
	expect_u32(&out, &at, 2);
	expect(&out, &at, "irq", 4);
	expect_u32(&out, &at, 1);
	expect_text(&out, &at, "ID: 333");
	expect(&out, &at, "sched", 6);
	expect_u32(&out, &at, 2);
	expect_text(&out, &at, "ID: 1");
	expect_text(&out, &at, "ID: 22");
	expect_u32(&out, &at, 0); /* kallsyms */
	expect_u32(&out, &at, 10);
	expect(&out, &at, "0x1 : \"a\"\n", 10);
	expect_text(&out, &at, "1 init\n");
	cr_assert_eq(at, out.len);
	ts_bytes_release(&out);
}

Test(tracing_data, puts_formats_of_ftrace_in_their_own_place)
{
	struct event items[] = {tracepoint("ftrace", "function")};
	struct event_list events = {.items = items, .nr = 1};
	struct ts_bytes out = {0};
	struct ts_error err;
	size_t at = 14 + 2 + 4 + 12 + 8 + 4 + 13 + 8 + 5;

	cr_assert_eq(tracing_data_collect(&out, root.path, &events, &err), 0);
	expect_u32(&out, &at, 1);
	expect_text(&out, &at, "ID: 4");
	expect_u32(&out, &at, 0); /* systems */
	ts_bytes_release(&out);
}

Test(tracing_data, does_without_what_only_helps_reading)
{
	struct event items[] = {tracepoint("sched", "sched_switch")};
	struct event_list events = {.items = items, .nr = 1};
	struct ts_bytes out = {0};
	struct ts_error err;
	static const uint8_t nothing[4 + 4 + 8];
	char path[256];

	snprintf(path, sizeof(path), "%s/printk_formats", root.path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/saved_cmdlines", root.path);
	unlink(path);
	cr_assert_eq(tracing_data_collect(&out, root.path, &events, &err), 0);
	cr_assert_eq(memcmp(out.data + out.len - 16, nothing, 16), 0);
	ts_bytes_release(&out);
}

Test(tracing_data, says_which_format_is_missing)
{
	struct event items[] = {tracepoint("sched", "sched_nothing")};
	struct event_list events = {.items = items, .nr = 1};
	struct ts_bytes out = {0};
	struct ts_error err;
	char expected[256];

	cr_assert_eq(tracing_data_collect(&out, root.path, &events, &err), -ENOENT);
	snprintf(expected, sizeof(expected),
		 "cannot read %s/events/sched/sched_nothing/format: No such file or directory",
		 root.path);
	cr_assert_str_eq(err.text, expected);
	ts_bytes_release(&out);
}
