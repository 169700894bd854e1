// SPDX-License-Identifier: Apache-2.0
/*
 * Compares the quick decoder with ts_decode_sample(), which checks every field. Both decode the
 * same samples, whole, cut anywhere, and too long, for every set of the fields that the quick one
 * knows and for some that it does not know.
 */
#include "reader/samples/sample_brief.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/base/bytes.h"
#include "tests/support/expect_sample.h"
#include "tests/support/made_samples.h"

static const uint64_t bits[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	       PERF_SAMPLE_TID,	      PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR,	PERF_SAMPLE_ID,	       PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD,	PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW,	      PERF_SAMPLE_CGROUP,
};

static void expect_alike(const struct sample_brief *brief, const struct perf_event_header *hdr)
{
	struct ts_sample want, got = {.cgroup = 7};
	enum ts_decode found = ts_decode_sample(brief->events, hdr, &want);

	cr_assert_eq(sample_brief_decode(brief, hdr, &got), found);
	if (found != TS_DECODE_OK)
		return;
	expect_sid(&got.sid, &want.sid);
	cr_assert_eq(got.ip, want.ip);
	cr_assert_eq(got.addr, want.addr);
	cr_assert_eq(got.period, want.period);
	cr_assert_eq(got.callchain.data, want.callchain.data);
	cr_assert_eq(got.callchain.nr, want.callchain.nr);
	cr_assert_eq(got.raw, want.raw);
	cr_assert_eq(got.raw_size, want.raw_size);
	cr_assert_eq(got.cgroup, want.cgroup);
}

static void try_sample(const struct perf_event_attr *attr)
{
	struct ts_events events = {0};
	struct ts_sample ignored;
	struct ts_bytes b = {0};
	struct sample_brief brief;
	struct ts_error err;

	cr_assert_eq(ts_events_add(&events, attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(ts_events_index(&events, &err), 0);
	cr_assert_eq(sample_brief_init(&brief, &events), 0);
	build_sample(attr, random_word(), &b, &ignored);
	ts_bytes_u64(&b, 1);
	for (size_t size = sizeof(struct perf_event_header); size <= b.len; size++) {
		struct odd o = odd_copy(&b, size);

		expect_alike(&brief, o.hdr);
		free(o.block);
	}
	ts_bytes_release(&b);
	sample_brief_release(&brief);
	ts_events_release(&events);
}

Test(sample_brief, finds_what_the_full_decoder_finds)
{
	size_t nr = sizeof(bits) / sizeof(*bits);

	for (uint32_t set = 0; set < 1u << nr; set++) {
		struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = set % 3};

		for (size_t i = 0; i < nr; i++)
			attr.sample_type |= set >> i & 1 ? bits[i] : 0;
		attr.freq = set % 5 == 0;
		try_sample(&attr);
	}
}

static struct ts_events two_events(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP};
	const uint64_t first = 7, second = 8;
	struct ts_events events = {0};
	struct ts_error err;

	cr_assert_eq(ts_events_add(&events, &attr, "one", &first, 1, &err), 0);
	attr.sample_type |= PERF_SAMPLE_TID;
	cr_assert_eq(ts_events_add(&events, &attr, "two", &second, 1, &err), 0);
	cr_assert_eq(ts_events_index(&events, &err), 0);
	return events;
}

Test(sample_brief, takes_each_event_by_its_own_layout)
{
	struct ts_events events = two_events();
	struct sample_brief brief;

	cr_assert_eq(sample_brief_init(&brief, &events), 0);
	for (uint64_t id = 7; id <= 9; id++) {
		struct {
			struct perf_event_header hdr;
			uint64_t id, ip, tid;
		} record = {{PERF_RECORD_SAMPLE, 0, sizeof(record)}, id, 0x1000, 5ull << 32 | 4};

		expect_alike(&brief, &record.hdr);
	}
	sample_brief_release(&brief);
	ts_events_release(&events);
}
