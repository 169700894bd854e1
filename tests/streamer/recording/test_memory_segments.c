// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/memory_segments.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "streamer/control/cut_request.h"
#include "streamer/recording/recording.h"

Test(memory_segments, says_that_nothing_is_held_where_a_snapshot_has_no_segment)
{
	struct memory_segments h = {.is_on = true, .root = "/dev/shm/tstream.0.1"};
	struct rotation_kept segments = {0};
	struct ts_error err = {0};

	cr_assert_eq(memory_segments_save(&h, &segments, 0, "cap", "", &err), -EAGAIN);
	cr_expect_str_eq(err.text, "cannot write a snapshot of cap: no segment is held in "
				   "/dev/shm/tstream.0.1");
	cr_expect(strstr(err.hint, "ask again"), "%s", err.hint);
	cr_expect(h.has_failed, "it was asked for and not made");
}

Test(memory_segments, refuses_one_snapshot_too_many_before_the_cut)
{
	static struct recording r = {.rotation = {.is_on = true, .is_held = true}};
	struct record_options options = {.output = "cap"};
	struct record_plan plan = {.options = &options};
	const struct cut_cause cause = {.kind = CUT_BY_CONTROL};
	struct ts_error err = {0};

	r.plan = &plan;
	r.history.is_on = true;
	r.history.runner.waiting = MEMORY_SEGMENTS_SAVINGS_MAX;
	cr_expect_eq(cut_request_make(&r, &cause, &err), CUT_REQUEST_REFUSED);
	cr_expect_eq(err.code, EBUSY);
	cr_expect(strstr(err.text, "8 others are being written"), "%s", err.text);
	cr_expect_not(r.history.has_failed, "whoever asked was told");
}
