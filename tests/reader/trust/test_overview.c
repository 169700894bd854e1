// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/overview.h"

#include <criterion/criterion.h>
#include <string.h>

#include "reader/trust/print_overview.h"
#include "tests/support/made_capture.h"

/* Prints the overview of a capture of one sample, of which counted_percent was counted. */
static void print(double counted_percent, struct ts_bytes *out)
{
	struct made_capture m;
	struct chunk_table t;
	struct overview o;
	struct damage damage = {0};
	struct ts_error err;

	made_capture_init(&m, 1);
	made_sample(&m, 0, &(struct made_sample){.time_ns = 5, .period = 1, .pid = 1, .tid = 1});
	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&t, &m.capture, 1, 0, NULL, &err), 0, "%s", err.text);
	cr_assert_eq(
		overview_open(&o, &(struct overview_parts){.capture = &m.capture,
							   .chunks = &t,
							   .damage = &damage,
							   .nr_samples = 1,
							   .counted_percent = counted_percent}),
		0);
	print_overview(&o, true, out);
	ts_bytes_zero(out, 1);
	overview_close(&o);
	chunk_table_close(&t);
	made_capture_release(&m);
}

Test(overview, says_how_much_was_counted_where_it_was_not_all)
{
	struct ts_bytes out = {0};

	print(99.9, &out);
	cr_expect_not_null(strstr((char *)out.data, "; only 99 % of it was counted\n"), "%s",
			   (char *)out.data);
	ts_bytes_release(&out);
}

Test(overview, says_nothing_of_that_where_all_was_counted)
{
	struct ts_bytes out = {0};

	print(100, &out);
	cr_expect_null(strstr((char *)out.data, "counted"), "%s", (char *)out.data);
	ts_bytes_release(&out);
}
