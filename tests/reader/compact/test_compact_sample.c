// SPDX-License-Identifier: Apache-2.0
#include "reader/compact/compact_sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/made_samples.h"

#define ROUNDS	  2000
#define IPS	  5
#define ALL_TYPES ((1ull << 25) - 1)

static const uint64_t words[IPS] = {PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000, 0x4000};
static uint8_t out[COMPACT_SAMPLE_MAX];

/* Decodes with a single event, to which every id belongs. */
static enum ts_decode decode(const struct perf_event_attr *attr,
			     const struct perf_event_header *hdr, struct ts_sample *ret)
{
	struct ts_events events = {0};
	struct ts_error err;
	enum ts_decode found;

	cr_assert_eq(ts_events_add(&events, attr, "made", NULL, 0, &err), 0);
	cr_assert_eq(ts_events_index(&events, &err), 0, "%s", err.text);
	found = ts_decode_sample(&events, hdr, ret);
	ts_events_release(&events);
	return found;
}

/* All fields before, between and behind the changed ones are equal. */
static void expect_rest(const struct perf_event_header *was_hdr, const struct ts_sample *was,
			const struct perf_event_header *is_hdr, const struct ts_sample *is)
{
	const uint8_t *from = (const void *)was_hdr, *to = (const void *)is_hdr;
	size_t before = (size_t)(was->chain_begin - from);
	size_t between = (size_t)(was->dump_begin - was->chain_end);
	size_t behind = (size_t)(from + ts_record_load_header(was_hdr).size - was->dump_end);

	cr_assert_eq((size_t)(is->chain_begin - to), before);
	cr_assert_eq(memcmp(from + 8, to + 8, before - 8), 0);
	cr_assert_eq((size_t)(is->dump_begin - is->chain_end), between);
	cr_assert_eq(memcmp(was->chain_end, is->chain_end, between), 0);
	cr_assert_eq(is->dump_begin, is->dump_end);
	cr_assert_eq((size_t)(to + ts_record_load_header(is_hdr).size - is->dump_end), behind);
	cr_assert_eq(memcmp(was->dump_end, is->dump_end, behind), 0);
	cr_assert_eq(ts_record_load_header(was_hdr).type, ts_record_load_header(is_hdr).type);
	cr_assert_eq(ts_record_load_header(was_hdr).misc, ts_record_load_header(is_hdr).misc);
}

static void expect_compact(uint64_t sample_type, uint64_t nr)
{
	const struct perf_event_attr attr = attr_of(sample_type | PERF_SAMPLE_STACK_USER);
	const struct perf_event_attr to = compact_attr(&attr);
	const struct ts_words chain = {(const void *)words, nr};
	struct ts_sample want, was, is;
	struct ts_bytes b = {0};
	struct odd odd;
	size_t bytes;

	build_sample(&attr, 1, &b, &want);
	odd = odd_copy(&b, b.len);
	cr_assert_eq(decode(&attr, odd.hdr, &was), TS_DECODE_OK);
	bytes = compact_sample(odd.hdr, &was, &chain, out);
	cr_assert_eq(bytes, ts_record_load_header(out).size);
	cr_assert_eq(bytes % 8, b.len % 8);
	cr_assert_eq(decode(&to, (const void *)out, &is), TS_DECODE_OK);
	cr_assert_eq(is.user_stack_size, 0);
	cr_assert_null(is.user_regs.data);
	cr_assert_eq(is.callchain.nr, nr);
	cr_assert_eq(memcmp(is.callchain.data, words, 8 * nr), 0);
	expect_rest(odd.hdr, &was, (const void *)out, &is);
	free(odd.block);
	ts_bytes_release(&b);
}

Test(compact_sample, keeps_every_other_field_of_any_event)
{
	for (int i = 0; i < ROUNDS; i++)
		expect_compact(random_word() & ALL_TYPES, random_word() % (IPS + 1));
}

Test(compact_sample, adds_a_callchain_where_there_was_none)
{
	expect_compact(PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER,
		       IPS);
}

Test(compact_sample, leaves_the_attr_as_it_is_but_for_dump_and_callchain)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER |
					      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR),
			       to;

	attr.exclude_callchain_user = 1;
	attr.sample_stack_user = 8192;
	cr_assert(compact_is_dumping(&attr));
	to = compact_attr(&attr);
	cr_assert_not(compact_is_dumping(&to));
	cr_assert_eq(to.sample_type,
		     PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR);
	cr_assert_eq(to.exclude_callchain_user, 0);
	cr_assert_eq(to.sample_regs_user, 0);
	cr_assert_eq(to.sample_stack_user, 0);
	cr_assert_eq(to.sample_regs_intr, attr.sample_regs_intr);
}

/* A record has a 16 bit size. */
Test(compact_sample, cuts_what_a_record_cannot_hold)
{
	const struct perf_event_attr attr = attr_of(PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER);
	static const uint64_t many[UINT16_MAX];
	const struct ts_words chain = {(const void *)many, UINT16_MAX};
	struct ts_sample want, was;
	struct ts_bytes b = {0};

	build_sample(&attr, 1, &b, &want);
	cr_assert_eq(decode(&attr, (const void *)b.data, &was), TS_DECODE_OK);
	cr_assert_eq(compact_sample((const void *)b.data, &was, &chain, out), 65528);
	ts_bytes_release(&b);
}
