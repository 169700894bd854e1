// SPDX-License-Identifier: Apache-2.0
#include "streamer/targets/self_filter.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void expect(const pid_t *tids, size_t nr, const char *wanted)
{
	struct ts_bytes text = {0};

	self_filter_put(&text, tids, nr);
	ts_bytes_put(&text, "", 1);
	cr_expect_str_eq((const char *)text.data, wanted);
	ts_bytes_release(&text);
}

#define EXPECT(wanted, ...)                                                                        \
	expect((const pid_t[]){__VA_ARGS__}, sizeof((pid_t[]){__VA_ARGS__}) / sizeof(pid_t), wanted)

Test(self_filter, names_each_thread_and_its_workers)
{
	EXPECT("common_pid != 7 && COMM != \"iou-wrk-7\"", 7);
	EXPECT("common_pid != 7 && common_pid != 9 && COMM != \"iou-wrk-7\" && COMM != "
	       "\"iou-wrk-9\"",
	       7, 9);
}

Test(self_filter, compares_runs_of_threads_with_their_ends)
{
	EXPECT("common_pid != 3 && (common_pid < 98 || common_pid > 100) && COMM != \"iou-wrk-3\" "
	       "&& "
	       "COMM != \"iou-wrk-98\" && COMM != \"iou-wrk-99\" && COMM != \"iou-wrk-100\"",
	       3, 98, 99, 100);
}

/* Of the numbers from..to. */
static struct ts_bytes filter_of(pid_t from, pid_t to)
{
	struct ts_bytes text = {0};
	pid_t tids[4096];

	for (pid_t tid = from; tid <= to; tid++)
		tids[tid - from] = tid;
	self_filter_put(&text, tids, (size_t)(to - from + 1));
	ts_bytes_put(&text, "", 1);
	return text;
}

Test(self_filter, names_workers_of_runs_by_powers_of_ten)
{
	struct ts_bytes text = filter_of(989, 2110);

	cr_expect_str_eq((const char *)text.data,
			 "(common_pid < 989 || common_pid > 2110) && COMM != \"iou-wrk-989\" && "
			 "!(COMM ~ \"iou-wrk-99?\") && !(COMM ~ \"iou-wrk-1???\") && "
			 "!(COMM ~ \"iou-wrk-20??\") && !(COMM ~ \"iou-wrk-210?\") && "
			 "COMM != \"iou-wrk-2110\"");
	ts_bytes_release(&text);
}

Test(self_filter, of_a_thousand_writers_in_a_row_fits_what_the_kernel_takes)
{
	struct ts_bytes text = filter_of(4193001, 4194299);

	cr_expect_lt(text.len, 4096);
	ts_bytes_release(&text);
}

/* Alone, or in a run with a thread that got the number beside it. */
static bool leaves_out(const char *text, pid_t tid)
{
	while ((text = strstr(text, "common_pid "))) {
		pid_t first, last;

		if (sscanf(text, "common_pid != %d", &first) == 1 && first == tid)
			return true;
		if (sscanf(text, "common_pid < %d || common_pid > %d", &first, &last) == 2 &&
		    first <= tid && tid <= last)
			return true;
		text++;
	}
	return false;
}

Test(self_filter, has_this_very_thread)
{
	struct ts_bytes text = {0};
	struct ts_error err;
	int code = self_filter_make(&text, &err);

	if (code == -EOPNOTSUPP)
		cr_skip_test("in a PID namespace");
	cr_assert_eq(code, 0, "%s", err.text);
	cr_expect(leaves_out((const char *)text.data, gettid()), "%s", (const char *)text.data);
	ts_bytes_release(&text);
}
