// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/record_walk.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <string.h>

static uint64_t run[512];
static size_t len;

static void set_header(uint64_t *at, uint32_t type, uint16_t bytes)
{
	struct perf_event_header hdr = {.type = type, .size = bytes};

	memcpy(at, &hdr, sizeof(hdr));
}

/* Appends a record of `bytes` with `time_ns` where a record of its type has it. */
static uint64_t *put(uint32_t type, uint16_t bytes, uint64_t time_ns)
{
	uint64_t *at = run + len / 8;

	memset(at, 0, bytes);
	set_header(at, type, bytes);
	if (type == PERF_RECORD_SAMPLE)
		at[4] = time_ns;
	else
		at[bytes / 8 - 3] = time_ns;
	len += bytes;
	return at;
}

Test(walk, counts_records_and_spans_their_times)
{
	struct record_walk w;
	size_t bad;

	put(PERF_RECORD_SAMPLE, 56, 300);
	put(PERF_RECORD_COMM, 64, 100);
	put(PERF_RECORD_SAMPLE, 128, 500);
	put(PERF_RECORD_EXIT, 64, 0);
	cr_assert(record_walk_all(run, len, 0, &w, &bad));
	cr_assert_eq(w.nr_records, 4);
	cr_assert_eq(w.nr_samples, 2);
	cr_assert_eq(w.time_min_ns, 100);
	cr_assert_eq(w.time_max_ns, 500);
	cr_assert_eq(bad, len);
}

Test(walk, counts_the_samples_of_the_recorder_apart)
{
	struct record_walk w;
	size_t bad;

	put(PERF_RECORD_SAMPLE, 56, 1)[3] = 7 | 8ULL << 32; /* pid, tid */
	put(PERF_RECORD_SAMPLE, 56, 2)[3] = 8 | 7ULL << 32;
	put(PERF_RECORD_SAMPLE, 56, 3)[3] = 0;
	put(PERF_RECORD_EXIT, 64, 4)[3] = 7;
	put(PERF_RECORD_SAMPLE, 24, 0);
	cr_assert(record_walk_all(run, len, 7, &w, &bad));
	cr_expect_eq(w.nr_samples, 4);
	cr_expect_eq(w.nr_own, 1);
	cr_assert(record_walk_all(run, len, 0, &w, &bad));
	cr_expect_eq(w.nr_own, 0);
}

Test(walk, adds_up_what_the_kernel_says_it_lost)
{
	struct record_walk w;
	size_t bad;

	put(PERF_RECORD_LOST, 56, 10)[2] = 1000;
	put(PERF_RECORD_LOST, 56, 11)[2] = 23;
	put(PERF_RECORD_LOST_SAMPLES, 48, 12)[1] = 7;
	put(PERF_RECORD_THROTTLE, 64, 13);
	put(PERF_RECORD_UNTHROTTLE, 64, 14);
	cr_assert(record_walk_all(run, len, 0, &w, &bad));
	cr_assert_eq(w.lost, 1023);
	cr_assert_eq(w.lost_samples, 7);
	cr_assert_eq(w.throttles, 1);
	cr_assert_eq(w.nr_samples, 0);
}

Test(walk, reads_no_field_that_a_short_record_does_not_have)
{
	struct record_walk w;
	size_t bad;

	memset(run, 0xff, sizeof(run)); /* what lies behind must not be taken for a field */
	set_header(run, PERF_RECORD_SAMPLE, 8);
	set_header(run + 1, PERF_RECORD_LOST, 16);
	len = 24;
	cr_assert(record_walk_all(run, len, UINT32_MAX, &w, &bad));
	cr_assert_eq(w.nr_records, 2);
	cr_assert_eq(w.nr_own, 0);
	cr_assert_eq(w.time_max_ns, 0);
	cr_assert_eq(w.lost, 0);
}

Test(walk, stops_at_a_record_that_cannot_be)
{
	static const uint16_t sizes[] = {0, 4, 7, 60, 72};
	struct record_walk w;
	size_t bad;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		len = 0;
		put(PERF_RECORD_SAMPLE, 56, 300);
		put(PERF_RECORD_SAMPLE, 64, 400);
		set_header(run + 7, PERF_RECORD_SAMPLE, sizes[i]);
		cr_assert_not(record_walk_all(run, len, 0, &w, &bad));
		cr_assert_eq(bad, 56);
		cr_assert_eq(w.nr_records, 1);
	}
	cr_assert_not(record_walk_all(run, 60, 0, &w, &bad));
}

Test(walk, accepts_an_empty_run)
{
	struct record_walk w;
	size_t bad;

	cr_assert(record_walk_all(run, 0, 0, &w, &bad));
	cr_assert_eq(w.nr_records, 0);
}
