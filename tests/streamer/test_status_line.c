// SPDX-License-Identifier: Apache-2.0
#include "streamer/status_line.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/clock.h"

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
