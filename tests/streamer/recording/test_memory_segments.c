// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/memory_segments.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(memory_segments, says_that_nothing_is_held_where_a_snapshot_has_no_segment)
{
	struct memory_segments h = {.is_on = true, .root = "/dev/shm/tstream.0.1"};
	struct rotation_kept segments = {0};
	struct ts_error err = {0};

	cr_assert_eq(memory_segments_save(&h, &segments, 0, "cap", "", &err), -EAGAIN);
	cr_expect_str_eq(err.text, "cannot write a snapshot of cap: no segment is held in "
				   "/dev/shm/tstream.0.1");
	cr_expect(strstr(err.hint, "ask again"), "%s", err.hint);
}
