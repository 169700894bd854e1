// SPDX-License-Identifier: Apache-2.0
/* Several events in one capture: the event of a record, and attrs that do not go together. */
#include "common/perf/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "common/base/bytes.h"
#include "tests/support/expect_sample.h"
#include "tests/support/made_samples.h"

static struct ts_events two_events(uint64_t type_a, uint64_t type_b)
{
	struct perf_event_attr a = attr_of(type_a), b = attr_of(type_b);
	uint64_t ids_a[] = {101, 102}, ids_b[] = {201};
	struct ts_events evs = {0};
	struct ts_error err;

	cr_assert_eq(ts_events_add(&evs, &a, "a", ids_a, 2, &err), 0);
	cr_assert_eq(ts_events_add(&evs, &b, "b", ids_b, 1, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	return evs;
}

static void expect_event(const struct ts_events *evs, uint64_t id, uint32_t event)
{
	struct ts_sample want, got;
	struct ts_sample_id want_sid, sid;
	struct ts_bytes b = {0};

	build_sample(&evs->items[event].attr, id, &b, &want);
	want.sid.event = event;
	cr_assert_eq(ts_decode_sample(evs, (const void *)b.data, &got), TS_DECODE_OK);
	expect_sid(&got.sid, &want.sid);
	expect_blocks(&got, &want);
	build_lost(&evs->items[event].attr, id, &b, &want_sid);
	want_sid.event = event;
	cr_assert_eq(ts_decode_trailer(evs, (const void *)b.data, &sid), TS_DECODE_OK);
	expect_sid(&sid, &want_sid);
	ts_bytes_release(&b);
}

Test(record_events, tells_events_apart_by_identifier_though_layouts_differ)
{
	struct ts_events evs = two_events(
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW);

	expect_event(&evs, 101, 0);
	expect_event(&evs, 102, 0);
	expect_event(&evs, 201, 1);
	ts_events_release(&evs);
}

Test(record_events, tells_events_apart_by_id_in_the_middle)
{
	uint64_t base = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	struct ts_events evs =
		two_events(base | PERF_SAMPLE_CPU, base | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN);

	expect_event(&evs, 102, 0);
	expect_event(&evs, 201, 1);
	ts_events_release(&evs);
}

Test(record_events, gives_the_first_event_to_id_zero)
{
	struct ts_events evs =
		two_events(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, PERF_SAMPLE_IDENTIFIER);

	cr_assert_eq(ts_events_find(&evs, 0), 0);
	ts_events_release(&evs);
}

Test(record_events, says_when_no_event_has_the_id_of_a_sample)
{
	struct ts_events evs = two_events(PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IDENTIFIER);
	struct ts_sample want, got;
	struct ts_bytes b = {0};

	build_sample(&evs.items[0].attr, 999, &b, &want);
	cr_assert_eq(ts_decode_sample(&evs, (const void *)b.data, &got), TS_DECODE_UNKNOWN_EVENT);
	cr_assert_eq(ts_decode_sample_id(&evs, (const void *)b.data, &got.sid),
		     TS_DECODE_UNKNOWN_EVENT);
	ts_bytes_release(&b);
	ts_events_release(&evs);
}

Test(record_events, decodes_the_trailer_of_an_unknown_id_where_all_are_alike)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	struct ts_events alike = two_events(type, type | PERF_SAMPLE_IP);
	struct ts_events mixed = two_events(type, type | PERF_SAMPLE_CPU);
	struct ts_sample_id want, got;
	struct ts_bytes b = {0};

	build_lost(&alike.items[0].attr, 999, &b, &want);
	want.event = TS_NO_EVENT;
	cr_assert_eq(ts_decode_trailer(&alike, (const void *)b.data, &got), TS_DECODE_OK);
	expect_sid(&got, &want);
	cr_assert_eq(ts_decode_trailer(&mixed, (const void *)b.data, &got),
		     TS_DECODE_UNKNOWN_EVENT);
	cr_expect_eq(alike.trailer_bytes, ts_record_trailer_bytes(&alike.items[1].attr));
	cr_expect_gt(alike.trailer_bytes, 0);
	cr_expect_eq(mixed.trailer_bytes, 0, "each event has its own");
	ts_bytes_release(&b);
	ts_events_release(&alike);
	ts_events_release(&mixed);
}

static int index_two(uint64_t type_a, uint64_t type_b, bool all_b, struct ts_error *err)
{
	struct perf_event_attr a = attr_of(type_a), b = attr_of(type_b);
	struct ts_events evs = {0};
	int ret;

	b.sample_id_all = all_b;
	cr_assert_eq(ts_events_add(&evs, &a, "a", NULL, 0, err), 0);
	cr_assert_eq(ts_events_add(&evs, &b, "b", NULL, 0, err), 0);
	ret = ts_events_index(&evs, err);
	ts_events_release(&evs);
	return ret;
}

Test(record_events, refuses_events_that_cannot_be_told_apart)
{
	uint64_t id = PERF_SAMPLE_IDENTIFIER;
	struct ts_error err;

	cr_assert_eq(index_two(PERF_SAMPLE_IP, PERF_SAMPLE_IP, true, &err), -EINVAL);
	cr_assert_str_eq(err.text, "cannot tell 2 events apart: their samples carry no id");
	cr_assert_eq(index_two(id, PERF_SAMPLE_ID, true, &err), 0, "both are the first word");
	cr_assert_eq(index_two(id, PERF_SAMPLE_ID | PERF_SAMPLE_IP, true, &err), -EINVAL);
	cr_assert_eq(index_two(PERF_SAMPLE_ID, PERF_SAMPLE_ID | PERF_SAMPLE_CPU, true, &err),
		     -EINVAL, "in the trailer CPU stands behind ID");
	cr_assert_eq(index_two(id, id, false, &err), -EINVAL);
	cr_assert_str_eq(err.text,
			 "cannot decode events 'a' and 'b' together: only one has sample_id_all");
}

Test(record_events, finds_each_of_many_ids)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_IDENTIFIER);
	struct ts_events evs = {0};
	struct ts_error err;

	for (uint64_t i = 0; i < 20; i++) {
		uint64_t ids[1000];

		for (uint64_t n = 0, id = i ? i : 20; n < 1000; n++, id += 20)
			ids[n] = id << (id % 40);
		cr_assert_eq(ts_events_add(&evs, &attr, "e", ids, 1000, &err), 0);
	}
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	for (uint64_t id = 20000; id > 19000; id--)
		cr_assert_eq(ts_events_find(&evs, id << (id % 40)), id % 20);
	cr_assert_eq(ts_events_find(&evs, UINT64_MAX), TS_NO_EVENT);
	ts_events_release(&evs);
}

Test(record_events, keeps_only_the_valid_bytes_of_an_attr)
{
	struct perf_event_attr attr;
	struct ts_events evs = {0};
	struct ts_error err;

	memset(&attr, 0xff, sizeof(attr));
	attr.size = 72;
	cr_assert_eq(ts_events_add(&evs, &attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(evs.items[0].attr.config2, UINT64_MAX);
	cr_assert_eq(evs.items[0].attr.branch_sample_type, 0);
	attr.size = 4096;
	cr_assert_eq(ts_events_add(&evs, &attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(evs.items[1].attr.size, sizeof(attr));
	ts_events_release(&evs);
}
