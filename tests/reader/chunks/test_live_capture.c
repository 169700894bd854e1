// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/live_capture.h"

#include <criterion/criterion.h>

#include "common/base/clock.h"

#define SECOND TS_NS_PER_SEC
#define WALL   (1700000000 * SECOND)	    /* when the capture was opened */
#define MARGIN (SECOND + 20 * TS_NS_PER_MS) /* --flush, and a tick */
#define CHUNK(of, last)                                                                            \
	{                                                                                          \
		.stream = (of), .header_bytes = 152, .time_min_ns = 1, .time_max_ns = (last)       \
	}

static bool until(struct chunk *chunks, size_t nr, const uint64_t *changed_ns, uint64_t *ret)
{
	struct capture_stream streams[3] = {0};
	struct capture capture = {
		.kind = CAPTURE_FILE, .streams = streams, .nr_streams = 3, .opened_ns = WALL};
	const struct chunk_table table = {.capture = &capture, .chunks = chunks, .nr = nr};

	for (size_t i = 0; i < 3; i++)
		streams[i].map.changed_ns = changed_ns[i];
	return live_capture_until(&table, ret);
}

Test(running, is_read_up_to_flush_before_now)
{
	/*
	 * Both streams were written to just now. The second is behind by the records that wait for
	 * a flush.
	 */
	const uint64_t changed_ns[] = {WALL, WALL, WALL};
	struct chunk chunks[] = {CHUNK(1, 50 * SECOND), CHUNK(2, 49 * SECOND)};
	uint64_t ns;

	cr_assert(until(chunks, 2, changed_ns, &ns));
	cr_expect_eq(ns, 50 * SECOND - MARGIN);
}

Test(running, is_read_to_its_end_when_nothing_happens)
{
	const uint64_t changed_ns[] = {WALL, WALL - 10 * SECOND, WALL - 3 * SECOND};
	struct chunk chunks[] = {CHUNK(1, 30 * SECOND), CHUNK(2, 50 * SECOND)};
	uint64_t ns;

	cr_assert(until(chunks, 2, changed_ns, &ns));
	cr_expect_eq(ns, 53 * SECOND - MARGIN, "the last record is 3 s old");
}

Test(running, an_idle_stream_does_not_hold_the_others_back)
{
	const uint64_t changed_ns[] = {WALL, WALL - 40 * SECOND, WALL};
	struct chunk chunks[] = {CHUNK(1, 10 * SECOND), CHUNK(2, 50 * SECOND)};
	uint64_t ns;

	cr_assert(until(chunks, 2, changed_ns, &ns));
	cr_expect_eq(ns, 50 * SECOND - MARGIN);
}

Test(running, that_just_began_is_not_read)
{
	const uint64_t changed_ns[] = {WALL, WALL, WALL};
	struct chunk chunks[] = {CHUNK(1, SECOND / 2)};
	uint64_t ns;

	cr_assert(until(chunks, 1, changed_ns, &ns));
	cr_expect_eq(ns, 1, "0 would be what has no time");
}

Test(running, without_times_has_no_cut)
{
	const uint64_t changed_ns[] = {WALL, WALL, WALL};
	struct chunk chunks[] = {CHUNK(1, 0)};
	uint64_t ns;

	cr_expect_not(until(chunks, 1, changed_ns, &ns));
}
