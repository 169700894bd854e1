// SPDX-License-Identifier: Apache-2.0
/*
 * Samples are built here field by field from an attr, beside what a decoder must say about them, so
 * every sample_type bit and every read_format is tried alone and in random company. Each record is
 * decoded from a heap block of exactly its size at an odd address: an over-read shows under ASan.
 */
#include "common/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "common/bytes.h"

#define ALL_SAMPLE_BITS ((1ULL << 25) - 1)
#define READ_FORMATS	32
#define LOST_BIT	16

static uint64_t seed = 88172645463325252ULL;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* --- building --- */

static void put_words(struct ts_bytes *b, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		ts_bytes_u64(b, rnd());
}

static uint64_t put_u64(struct ts_bytes *b)
{
	uint64_t v = rnd();

	ts_bytes_u64(b, v);
	return v;
}

static uint64_t popcount(uint64_t v)
{
	return (uint64_t)__builtin_popcountll(v);
}

static void put_tid(struct ts_bytes *b, struct ts_sample_id *sid)
{
	sid->pid = (uint32_t)rnd();
	sid->tid = (uint32_t)rnd();
	ts_bytes_u32(b, sid->pid);
	ts_bytes_u32(b, sid->tid);
}

static void put_cpu(struct ts_bytes *b, struct ts_sample_id *sid)
{
	sid->cpu = (uint32_t)rnd();
	ts_bytes_u32(b, sid->cpu);
	ts_bytes_u32(b, 0);
}

static void put_ids(struct ts_bytes *b, uint64_t type, uint64_t id, struct ts_sample *want)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		ts_bytes_u64(b, id);
	if (type & PERF_SAMPLE_IP)
		want->ip = put_u64(b);
	if (type & PERF_SAMPLE_TID)
		put_tid(b, &want->sid);
	if (type & PERF_SAMPLE_TIME)
		want->sid.time_ns = put_u64(b);
	if (type & PERF_SAMPLE_ADDR)
		want->addr = put_u64(b);
	if (type & PERF_SAMPLE_ID)
		ts_bytes_u64(b, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		want->sid.stream_id = put_u64(b);
	if (type & PERF_SAMPLE_CPU)
		put_cpu(b, &want->sid);
	if (type & PERF_SAMPLE_PERIOD)
		want->period = put_u64(b);
	if (type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
		want->sid.id = id;
}

static void put_read(struct ts_bytes *b, uint64_t format, struct ts_sample *want)
{
	uint64_t times = popcount(format & 3), each = 1 + popcount(format & (4 | LOST_BIT));
	uint64_t members = rnd() % 4;

	if (format & PERF_FORMAT_GROUP) {
		want->read.nr = 1 + times + members * each;
		ts_bytes_u64(b, members);
		put_words(b, want->read.nr - 1);
	} else {
		want->read.nr = times + each;
		put_words(b, want->read.nr);
	}
}

static void put_branches(struct ts_bytes *b, uint64_t branch_type, struct ts_sample *want)
{
	uint64_t nr = rnd() % 5;

	ts_bytes_u64(b, nr);
	if (branch_type & (1 << 17))
		put_words(b, 1);
	put_words(b, 3 * nr);
	if (branch_type & (1 << 19))
		put_words(b, nr);
	want->branches.nr = 3 * nr;
}

static void put_regs(struct ts_bytes *b, uint64_t mask, uint64_t *abi, struct ts_words *regs)
{
	*abi = rnd() % 3;
	regs->nr = *abi ? popcount(mask) : 0;
	ts_bytes_u64(b, *abi);
	put_words(b, regs->nr);
}

static void put_stack(struct ts_bytes *b, struct ts_sample *want)
{
	want->user_stack_size = 8 * (rnd() % 9);
	ts_bytes_u64(b, want->user_stack_size);
	if (!want->user_stack_size)
		return;
	put_words(b, want->user_stack_size / 8);
	want->user_stack_dyn = rnd() % (want->user_stack_size + 1);
	ts_bytes_u64(b, want->user_stack_dyn);
}

static void put_payload(struct ts_bytes *b, const struct perf_event_attr *attr,
			struct ts_sample *want)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		put_read(b, attr->read_format, want);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		want->callchain.nr = rnd() % 20;
		ts_bytes_u64(b, want->callchain.nr);
		put_words(b, want->callchain.nr);
	}
	if (type & PERF_SAMPLE_RAW) {
		want->raw_size = 4 + 8 * (rnd() % 6);
		ts_bytes_u32(b, want->raw_size);
		ts_bytes_u32(b, (uint32_t)rnd());
		put_words(b, want->raw_size / 8);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(b, attr->branch_sample_type, want);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(b, attr->sample_regs_user, &want->user_abi, &want->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(b, want);
}

static void put_rest(struct ts_bytes *b, const struct perf_event_attr *attr, struct ts_sample *want)
{
	uint64_t type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		want->weight = put_u64(b);
	if (type & PERF_SAMPLE_DATA_SRC)
		want->data_src = put_u64(b);
	if (type & PERF_SAMPLE_TRANSACTION)
		want->transaction = put_u64(b);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(b, attr->sample_regs_intr, &want->intr_abi, &want->intr_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		want->phys_addr = put_u64(b);
	if (type & PERF_SAMPLE_CGROUP)
		want->cgroup = put_u64(b);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		want->data_page_size = put_u64(b);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		want->code_page_size = put_u64(b);
	if (type & PERF_SAMPLE_AUX) {
		want->aux_size = 8 * (rnd() % 4);
		ts_bytes_u64(b, want->aux_size);
		put_words(b, want->aux_size / 8);
	}
}

static void seal(struct ts_bytes *b, uint32_t type)
{
	struct perf_event_header h = {.type = type, .size = (uint16_t)b->len};

	cr_assert(b->len <= UINT16_MAX);
	memcpy(b->data, &h, sizeof(h));
}

static void build_sample(const struct perf_event_attr *attr, uint64_t id, struct ts_bytes *b,
			 struct ts_sample *want)
{
	*want = (struct ts_sample){.sid = {.pid = -1, .tid = -1, .cpu = -1}};
	want->period = attr->freq || !attr->sample_period ? 1 : attr->sample_period;
	ts_bytes_clear(b);
	ts_bytes_zero(b, 8);
	put_ids(b, attr->sample_type, id, want);
	put_payload(b, attr, want);
	put_rest(b, attr, want);
	seal(b, PERF_RECORD_SAMPLE);
}

static void put_trailer(struct ts_bytes *b, uint64_t type, uint64_t id, struct ts_sample_id *want)
{
	if (type & PERF_SAMPLE_TID)
		put_tid(b, want);
	if (type & PERF_SAMPLE_TIME)
		want->time_ns = put_u64(b);
	if (type & PERF_SAMPLE_ID)
		ts_bytes_u64(b, id);
	if (type & PERF_SAMPLE_STREAM_ID)
		want->stream_id = put_u64(b);
	if (type & PERF_SAMPLE_CPU)
		put_cpu(b, want);
	if (type & PERF_SAMPLE_IDENTIFIER)
		ts_bytes_u64(b, id);
	if (type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
		want->id = id;
}

/* A LOST record; its body is random words. */
static void build_lost(const struct perf_event_attr *attr, uint64_t id, struct ts_bytes *b,
		       struct ts_sample_id *want)
{
	*want = (struct ts_sample_id){.pid = -1, .tid = -1, .cpu = -1};
	ts_bytes_clear(b);
	ts_bytes_zero(b, 8);
	put_words(b, 2);
	if (attr->sample_id_all)
		put_trailer(b, attr->sample_type, id, want);
	seal(b, PERF_RECORD_LOST);
}

/* A copy of a record in a block of its own size, at an odd address. */
struct odd {
	uint8_t *block;
	const struct perf_event_header *hdr;
};

static struct odd odd_copy(const struct ts_bytes *b, size_t size)
{
	struct odd o = {.block = malloc(size + 1)};
	uint16_t size16 = (uint16_t)size;

	memcpy(o.block + 1, b->data, size);
	if (size >= 8)
		memcpy(o.block + 1 + 6, &size16, 2);
	o.hdr = (const void *)(o.block + 1);
	return o;
}

/* --- comparing --- */

static void expect_sid(const struct ts_sample_id *got, const struct ts_sample_id *want)
{
	cr_assert_eq(got->event, want->event);
	cr_assert_eq(got->pid, want->pid);
	cr_assert_eq(got->tid, want->tid);
	cr_assert_eq(got->cpu, want->cpu);
	cr_assert_eq(got->time_ns, want->time_ns);
	cr_assert_eq(got->id, want->id);
	cr_assert_eq(got->stream_id, want->stream_id);
}

static void expect_numbers(const struct ts_sample *got, const struct ts_sample *want)
{
	cr_assert_eq(got->ip, want->ip);
	cr_assert_eq(got->addr, want->addr);
	cr_assert_eq(got->period, want->period);
	cr_assert_eq(got->weight, want->weight);
	cr_assert_eq(got->data_src, want->data_src);
	cr_assert_eq(got->transaction, want->transaction);
	cr_assert_eq(got->phys_addr, want->phys_addr);
	cr_assert_eq(got->cgroup, want->cgroup);
	cr_assert_eq(got->data_page_size, want->data_page_size);
	cr_assert_eq(got->code_page_size, want->code_page_size);
}

static void expect_blocks(const struct ts_sample *got, const struct ts_sample *want)
{
	cr_assert_eq(got->read.nr, want->read.nr);
	cr_assert_eq(got->callchain.nr, want->callchain.nr);
	cr_assert_eq(got->raw_size, want->raw_size);
	cr_assert_eq(got->branches.nr, want->branches.nr);
	cr_assert_eq(got->user_abi, want->user_abi);
	cr_assert_eq(got->user_regs.nr, want->user_regs.nr);
	cr_assert_eq(got->user_stack_size, want->user_stack_size);
	cr_assert_eq(got->user_stack_dyn, want->user_stack_dyn);
	cr_assert_eq(got->intr_abi, want->intr_abi);
	cr_assert_eq(got->intr_regs.nr, want->intr_regs.nr);
	cr_assert_eq(got->aux_size, want->aux_size);
}

static struct ts_events one_event(const struct perf_event_attr *attr)
{
	struct ts_events evs = {0};
	struct ts_error err;

	cr_assert_eq(ts_events_add(&evs, attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	return evs;
}

static struct perf_event_attr attr_of(uint64_t sample_type)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = TS_ATTR_SIZE,
		.sample_type = sample_type,
		.sample_id_all = 1,
		.sample_regs_user = 0xff0fff,
		.sample_regs_intr = 0x1ff,
	};

	return attr;
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

static void try_sample(const struct perf_event_attr *attr)
{
	struct ts_events evs = one_event(attr);
	struct ts_sample want, got;
	struct ts_sample_id sid;
	struct ts_bytes b = {0};
	struct odd o;

	build_sample(attr, rnd(), &b, &want);
	o = odd_copy(&b, b.len);
	cr_assert_eq(ts_decode_sample(&evs, o.hdr, &got), TS_DECODE_OK);
	expect_sid(&got.sid, &want.sid);
	expect_numbers(&got, &want);
	expect_blocks(&got, &want);
	cr_assert_eq(ts_decode_sample_id(&evs, o.hdr, &sid), TS_DECODE_OK);
	expect_sid(&sid, &want.sid);
	free(o.block);
	expect_every_cut_bad(&evs, &b);
	ts_bytes_release(&b);
	ts_events_release(&evs);
}

static void try_trailer(const struct perf_event_attr *attr)
{
	struct ts_events evs = one_event(attr);
	struct ts_sample_id want, got;
	struct ts_bytes b = {0};
	struct odd o;

	build_lost(attr, rnd(), &b, &want);
	o = odd_copy(&b, b.len);
	cr_assert_eq(ts_decode_id(&evs, o.hdr, &got), TS_DECODE_OK);
	expect_sid(&got, &want);
	cr_assert_eq(ts_trailer_bytes(attr), b.len - 8 - 16);
	free(o.block);
	for (size_t size = 8; size < b.len; size++) {
		o = odd_copy(&b, size);
		cr_assert_eq(ts_decode_trailer(&evs, o.hdr, &got), TS_DECODE_BAD);
		free(o.block);
	}
	ts_bytes_release(&b);
	ts_events_release(&evs);
}

/* --- samples --- */

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
		struct perf_event_attr attr = attr_of(rnd() & ALL_SAMPLE_BITS);

		attr.read_format = rnd() % READ_FORMATS;
		attr.branch_sample_type = rnd() & (1ULL << 17 | 1ULL << 19);
		attr.sample_id_all = rnd() & 1;
		attr.sample_period = rnd() % 3;
		attr.freq = rnd() & 1;
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
	seal(&b, PERF_RECORD_SAMPLE);
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
		seal(&b, PERF_RECORD_SAMPLE);
		cr_assert_eq(ts_decode_sample(&evs, (const void *)b.data, &got), TS_DECODE_BAD);
		ts_bytes_release(&b);
		ts_events_release(&evs);
	}
}

Test(record, survives_random_bytes)
{
	for (int i = 0; i < 20000; i++) {
		struct perf_event_attr attr = attr_of(rnd() & ALL_SAMPLE_BITS);
		struct ts_events evs;
		struct ts_bytes b = {0};
		struct ts_sample got;
		struct odd o;

		attr.read_format = rnd() % READ_FORMATS;
		evs = one_event(&attr);
		ts_bytes_zero(&b, 8);
		for (uint64_t nr = rnd() % 40; nr; nr--)
			ts_bytes_u64(&b, rnd() >> (rnd() % 64));
		seal(&b, (uint32_t)(rnd() % 24));
		o = odd_copy(&b, b.len);
		ts_decode_sample(&evs, o.hdr, &got);
		ts_decode_id(&evs, o.hdr, &got.sid);
		free(o.block);
		ts_bytes_release(&b);
		ts_events_release(&evs);
	}
}

/* --- several events --- */

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

Test(record, tells_events_apart_by_identifier_though_layouts_differ)
{
	struct ts_events evs = two_events(
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW);

	expect_event(&evs, 101, 0);
	expect_event(&evs, 102, 0);
	expect_event(&evs, 201, 1);
	ts_events_release(&evs);
}

Test(record, tells_events_apart_by_id_in_the_middle)
{
	uint64_t base = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	struct ts_events evs =
		two_events(base | PERF_SAMPLE_CPU, base | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN);

	expect_event(&evs, 102, 0);
	expect_event(&evs, 201, 1);
	ts_events_release(&evs);
}

Test(record, gives_the_first_event_to_id_zero)
{
	struct ts_events evs =
		two_events(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, PERF_SAMPLE_IDENTIFIER);

	cr_assert_eq(ts_events_find(&evs, 0), 0);
	ts_events_release(&evs);
}

Test(record, says_when_no_event_has_the_id_of_a_sample)
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

Test(record, decodes_the_trailer_of_an_unknown_id_where_all_are_alike)
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

Test(record, refuses_events_that_cannot_be_told_apart)
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

Test(record, finds_each_of_many_ids)
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

Test(record, keeps_only_the_valid_bytes_of_an_attr)
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

Test(record, names_types_as_perf_does)
{
	cr_assert_str_eq(ts_record_name(PERF_RECORD_MMAP2), "MMAP2");
	cr_assert_str_eq(ts_record_name(TS_RECORD_EVENT_TYPE), "EVENT_TYPE");
	cr_assert_str_eq(ts_record_name(TS_RECORD_COMPRESSED), "COMPRESSED");
	cr_assert_null(ts_record_name(0));
	cr_assert_null(ts_record_name(40));
	cr_assert_null(ts_record_name(UINT32_MAX));
}
