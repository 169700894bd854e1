// SPDX-License-Identifier: Apache-2.0
/*
 * Samples are built field by field from an attr (tests/support/made_samples.h). Every sample_type
 * bit and every read_format is therefore tried alone and in random combinations. Each record is
 * decoded from a heap block of exactly its size at an odd address, so ASan reports a read beyond
 * it.
 */
#include "common/perf/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/base/bytes.h"
#include "common/perf/record_type.h"
#include "tests/support/expect_sample.h"
#include "tests/support/made_samples.h"

#define ALL_SAMPLE_BITS ((1ULL << 25) - 1)
#define READ_FORMATS	32

static struct ts_events one_event(const struct perf_event_attr *attr)
{
	struct ts_events evs = {0};
	struct ts_error err;

	cr_assert_eq(ts_events_add(&evs, attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	return evs;
}

static void expect_every_cut_bad(const struct ts_events *evs, const struct ts_bytes *b)
{
	for (size_t size = 8; size < b->len; size++) {
		struct odd o = odd_copy(b, size);
		struct ts_sample got;

		cr_assert_eq(ts_decode_sample(evs, o.hdr, &got), TS_DECODE_BAD, "size %zu of %zu",
			     size, b->len);
		free(o.block);
	}
}

/* More than the fields need is bad, unless the event may have fields that are not known here. */
static void expect_longer_bad(const struct perf_event_attr *attr, struct ts_bytes *b)
{
	struct perf_event_attr newer[] = {*attr, *attr, *attr};
	struct ts_sample got;
	struct odd o;

	newer[1].sample_type |= 1ULL << TS_KNOWN_FIELDS;
	newer[2].size = TS_KNOWN_ATTR_BYTES + 8;
	ts_bytes_u64(b, random_word());
	o = odd_copy(b, b->len);
	for (size_t i = 0; i < sizeof(newer) / sizeof(*newer); i++) {
		struct ts_events evs = one_event(&newer[i]);

		cr_assert_eq(ts_decode_sample(&evs, o.hdr, &got), i ? TS_DECODE_OK : TS_DECODE_BAD);
		ts_events_release(&evs);
	}
	free(o.block);
}

static void try_sample(const struct perf_event_attr *attr)
{
	struct ts_events evs = one_event(attr);
	struct ts_sample want, got;
	struct ts_sample_id sid;
	struct ts_bytes b = {0};
	struct odd o;

	build_sample(attr, random_word(), &b, &want);
	o = odd_copy(&b, b.len);
	cr_assert_eq(ts_decode_sample(&evs, o.hdr, &got), TS_DECODE_OK);
	expect_sid(&got.sid, &want.sid);
	expect_numbers(&got, &want);
	expect_blocks(&got, &want);
	cr_assert_eq(ts_decode_sample_id(&evs, o.hdr, &sid), TS_DECODE_OK);
	expect_sid(&sid, &want.sid);
	free(o.block);
	expect_every_cut_bad(&evs, &b);
	expect_longer_bad(attr, &b);
	ts_bytes_release(&b);
	ts_events_release(&evs);
}

static void try_trailer(const struct perf_event_attr *attr)
{
	struct ts_events evs = one_event(attr);
	struct ts_sample_id want, got;
	struct ts_bytes b = {0};
	struct odd o;

	build_lost(attr, random_word(), &b, &want);
	o = odd_copy(&b, b.len);
	cr_assert_eq(ts_decode_id(&evs, o.hdr, &got), TS_DECODE_OK);
	expect_sid(&got, &want);
	cr_assert_eq(ts_record_trailer_bytes(attr), b.len - 8 - 16);
	free(o.block);
	for (size_t size = 8; size < b.len; size++) {
		o = odd_copy(&b, size);
		cr_assert_eq(ts_decode_trailer(&evs, o.hdr, &got), TS_DECODE_BAD);
		free(o.block);
	}
	if (attr->sample_id_all) {
		ts_bytes_u64(&b, 0);
		o = odd_copy(&b, b.len);
		cr_assert_eq(ts_decode_trailer(&evs, o.hdr, &got), TS_DECODE_BAD);
		free(o.block);
	}
	ts_bytes_release(&b);
	ts_events_release(&evs);
}

Test(record, decodes_every_sample_field_alone)
{
	for (int bit = 0; bit < 25; bit++) {
		struct perf_event_attr attr = attr_of(1ULL << bit);

		for (int i = 0; i < 20; i++)
			try_sample(&attr);
	}
}

Test(record, decodes_every_read_format)
{
	for (uint64_t format = 0; format < READ_FORMATS; format++) {
		struct perf_event_attr attr = attr_of(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN);

		attr.read_format = format;
		for (int i = 0; i < 20; i++)
			try_sample(&attr);
	}
}

Test(record, decodes_branch_stacks_with_index_and_counters)
{
	for (uint64_t extra = 0; extra < 4; extra++) {
		struct perf_event_attr attr =
			attr_of(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_TRANSACTION);

		attr.branch_sample_type = (extra & 1) << 17 | (extra >> 1) << 19;
		for (int i = 0; i < 20; i++)
			try_sample(&attr);
	}
}

Test(record, decodes_random_mixtures_of_all_fields)
{
	for (int i = 0; i < 1500; i++) {
		struct perf_event_attr attr = attr_of(random_word() & ALL_SAMPLE_BITS);

		attr.read_format = random_word() % READ_FORMATS;
		attr.branch_sample_type = random_word() & (1ULL << 17 | 1ULL << 19);
		attr.sample_id_all = random_word() & 1;
		attr.sample_period = random_word() % 3;
		attr.freq = random_word() & 1;
		try_sample(&attr);
		try_trailer(&attr);
	}
}

Test(record, points_at_the_bytes_of_raw_stack_and_chain)
{
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_STACK_USER);
	struct ts_events evs = one_event(&attr);
	struct ts_bytes b = {0};
	struct ts_sample got;

	ts_bytes_zero(&b, 8);
	ts_bytes_u64(&b, 2);
	ts_bytes_u64(&b, 0x1111);
	ts_bytes_u64(&b, 0x2222);
	ts_bytes_u32(&b, 4);
	ts_bytes_put(&b, "rawb", 4);
	ts_bytes_u64(&b, 8);
	ts_bytes_put(&b, "stackbyt", 8);
	ts_bytes_u64(&b, 5);
	seal_record(&b, PERF_RECORD_SAMPLE);
	cr_assert_eq(ts_decode_sample(&evs, (const void *)b.data, &got), TS_DECODE_OK);
	cr_assert_eq(ts_word(&got.callchain, 1), 0x2222);
	cr_assert_arr_eq(got.raw, "rawb", 4);
	cr_assert_arr_eq(got.user_stack, "stackbyt", 8);
	cr_assert_eq(got.user_stack_dyn, 5);
	ts_bytes_release(&b);
	ts_events_release(&evs);
}

Test(record, refuses_counts_that_overflow)
{
	uint64_t types[] = {PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER,
			    PERF_SAMPLE_AUX, PERF_SAMPLE_READ};
	uint64_t counts[] = {UINT64_MAX, UINT64_MAX / 8 + 1, 1ULL << 61, 0x10000, 9};

	for (size_t i = 0; i < 25; i++) {
		struct perf_event_attr attr = attr_of(types[i / 5]);
		struct ts_events evs;
		struct ts_bytes b = {0};
		struct ts_sample got;

		attr.read_format = PERF_FORMAT_GROUP;
		evs = one_event(&attr);
		ts_bytes_zero(&b, 8);
		ts_bytes_u64(&b, counts[i % 5]);
		seal_record(&b, PERF_RECORD_SAMPLE);
		cr_assert_eq(ts_decode_sample(&evs, (const void *)b.data, &got), TS_DECODE_BAD);
		ts_bytes_release(&b);
		ts_events_release(&evs);
	}
}

Test(record, survives_random_bytes)
{
	for (int i = 0; i < 20000; i++) {
		struct perf_event_attr attr = attr_of(random_word() & ALL_SAMPLE_BITS);
		struct ts_events evs;
		struct ts_bytes b = {0};
		struct ts_sample got;
		struct odd o;

		attr.read_format = random_word() % READ_FORMATS;
		evs = one_event(&attr);
		ts_bytes_zero(&b, 8);
		for (uint64_t nr = random_word() % 40; nr; nr--)
			ts_bytes_u64(&b, random_word() >> (random_word() % 64));
		seal_record(&b, (uint32_t)(random_word() % 24));
		o = odd_copy(&b, b.len);
		ts_decode_sample(&evs, o.hdr, &got);
		ts_decode_id(&evs, o.hdr, &got.sid);
		free(o.block);
		ts_bytes_release(&b);
		ts_events_release(&evs);
	}
}

Test(record, names_types_as_perf_does)
{
	cr_assert_str_eq(ts_record_type_name(PERF_RECORD_MMAP2), "MMAP2");
	cr_assert_str_eq(ts_record_type_name(TS_RECORD_EVENT_TYPE), "EVENT_TYPE");
	cr_assert_str_eq(ts_record_type_name(TS_RECORD_COMPRESSED), "COMPRESSED");
	cr_assert_null(ts_record_type_name(0));
	cr_assert_null(ts_record_type_name(40));
	cr_assert_null(ts_record_type_name(UINT32_MAX));
}
