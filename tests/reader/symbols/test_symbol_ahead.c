// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_ahead.h"

#include <criterion/criterion.h>

/* Are the kernel's symbols read for a capture of this event? */
static bool starts(struct perf_event_attr attr)
{
	struct ts_event event = {.attr = attr};
	struct ts_header header = {.events = {.items = &event, .nr = 1}};
	struct symbol_ahead ahead;
	bool is_started;

	symbol_ahead_start(&ahead, &header);
	is_started = ahead.is_started;
	symbol_ahead_end(&ahead);
	return is_started;
}

Test(symbol_ahead, reads_for_events_that_count_in_the_kernel)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_CPU_CLOCK};

	cr_expect(starts(attr));
}

Test(symbol_ahead, reads_nothing_for_events_of_programs)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .exclude_kernel = 1};

	cr_expect_not(starts(attr));
}

Test(symbol_ahead, reads_nothing_for_an_event_without_samples)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_DUMMY};

	cr_expect_not(starts(attr));
}
