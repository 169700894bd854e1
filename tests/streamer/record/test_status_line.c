// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/status_line.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/base/clock.h"

static char text[STATUS_TEXT_BYTES];

static const struct status_facts facts = {
	.events_per_s = 123456,
	.bytes_per_s = 3u << 19,
	.lost = 7,
	.fullest_percent = 12.4,
	.fullest_cpu = 3,
	.write_ns = 2500000,
	.free_bytes = 5ull << 30,
	.has_disk = true,
};

Test(status_line, says_what_a_recording_does)
{
	cr_assert_str_eq(
		status_line_text(text, &facts, 200),
		"123456 events/s, 1.5 MB/s, 7 lost, fullest ring 12 % (CPU 3), writes 2.5 ms, "
		"5.0 GB free");
}

Test(status_line, begins_with_losses_where_not_all_has_room)
{
	cr_expect_str_eq(status_line_text(text, &facts, 61),
			 "7 lost, fullest ring 12 % (CPU 3), 123456 events/s, 1.5 MB/s");
	cr_expect_str_eq(status_line_text(text, &facts, 40), "7 lost, fullest ring 12 % (CPU 3)");
	cr_expect_str_eq(status_line_text(text, &facts, 20), "7 lost, 5.0 GB free");
	cr_expect_str_eq(status_line_text(text, &facts, 8), "7 lost");
	cr_expect_str_eq(status_line_text(text, &facts, 4), "");
}

Test(status_line, says_of_overwritten_rings_how_much_of_the_past_they_hold)
{
	struct status_facts f = {.overwrites = true,
				 .overwritten_per_s = 5u << 19,
				 .ring_span_ns = 1500 * TS_NS_PER_MS};

	cr_expect_str_eq(status_line_text(text, &f, 200),
			 "overwriting 2.5 MB/s, 0 lost, fullest ring 0 % (CPU 0), rings hold the "
			 "last 1.5 s");
	f.has_samples = true;
	cr_expect_str_eq(status_line_text(text, &f, 200),
			 "0 events/s, 0.0 MB/s, 0 lost, fullest ring 0 % (CPU 0), rings hold the "
			 "last 1.5 s");
}

Test(status_line, says_what_is_held_in_memory_and_since_when)
{
	const struct status_facts f = {.is_held = true,
				       .has_samples = true,
				       .held_bytes = 3u << 20,
				       .held_ns = 42 * TS_NS_PER_SEC};

	cr_expect_str_eq(status_line_text(text, &f, 200),
			 "0 events/s, 0.0 MB/s, 0 lost, fullest ring 0 % (CPU 0), holds the last "
			 "42 s in 3.0 MB");
}

Test(status_line, leaves_out_a_disk_that_there_is_not)
{
	const struct status_facts none = {.lost = 1};

	cr_assert_str_eq(status_line_text(text, &none, 200),
			 "0 events/s, 0.0 MB/s, 1 lost, fullest ring 0 % (CPU 0)");
}

Test(status_line, never_fills_the_last_column)
{
	for (size_t columns = 1; columns < 120; columns++)
		cr_assert_lt(strlen(status_line_text(text, &facts, columns)), columns);
}
