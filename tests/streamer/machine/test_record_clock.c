// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdint.h>

#include "streamer/machine/record_clock.h"

Test(record_clock, reads_the_clock_of_the_kernel_by_an_event)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct record_clock c = RECORD_CLOCK_INIT;
	uint64_t before_ns, after_ns;
	struct ts_error err;

	if (record_clock_open(&c, &attr, &err) < 0)
		cr_skip_test("this user may open no event");
	before_ns = record_clock_now(&c);
	for (int i = 0; i < 1000; i++) { /* more than once around its ring */
		after_ns = record_clock_now(&c);
		cr_assert_gt(after_ns, before_ns);
		before_ns = after_ns;
	}
	record_clock_close(&c);
}
