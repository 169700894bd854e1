// SPDX-License-Identifier: Apache-2.0
#include "tests/support/made_samples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LOST_BIT 16

static uint64_t seed = 88172645463325252ULL;

uint64_t random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void put_words(struct ts_bytes *b, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		ts_bytes_u64(b, random_word());
}

static uint64_t put_u64(struct ts_bytes *b)
{
	uint64_t v = random_word();

	ts_bytes_u64(b, v);
	return v;
}

static uint64_t popcount(uint64_t v)
{
	return (uint64_t)__builtin_popcountll(v);
}

static void put_tid(struct ts_bytes *b, struct ts_sample_id *sid)
{
	sid->pid = (uint32_t)random_word();
	sid->tid = (uint32_t)random_word();
	ts_bytes_u32(b, sid->pid);
	ts_bytes_u32(b, sid->tid);
}

static void put_cpu(struct ts_bytes *b, struct ts_sample_id *sid)
{
	sid->cpu = (uint32_t)random_word();
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
	uint64_t members = random_word() % 4;

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
	uint64_t nr = random_word() % 5;

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
	*abi = random_word() % 3;
	regs->nr = *abi ? popcount(mask) : 0;
	ts_bytes_u64(b, *abi);
	put_words(b, regs->nr);
}

static void put_stack(struct ts_bytes *b, struct ts_sample *want)
{
	want->user_stack_size = 8 * (random_word() % 9);
	ts_bytes_u64(b, want->user_stack_size);
	if (!want->user_stack_size)
		return;
	put_words(b, want->user_stack_size / 8);
	want->user_stack_dyn = random_word() % (want->user_stack_size + 1);
	ts_bytes_u64(b, want->user_stack_dyn);
}

static void put_payload(struct ts_bytes *b, const struct perf_event_attr *attr,
			struct ts_sample *want)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		put_read(b, attr->read_format, want);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		want->callchain.nr = random_word() % 20;
		ts_bytes_u64(b, want->callchain.nr);
		put_words(b, want->callchain.nr);
	}
	if (type & PERF_SAMPLE_RAW) {
		want->raw_size = 4 + 8 * (random_word() % 6);
		ts_bytes_u32(b, want->raw_size);
		ts_bytes_u32(b, (uint32_t)random_word());
		put_words(b, want->raw_size / 8);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(b, attr->branch_sample_type, want);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(b, attr->sample_regs_user, &want->user_abi, &want->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(b, want);
}

static void put_weight(struct ts_bytes *b, uint64_t type, struct ts_sample *want)
{
	union perf_sample_weight weight = {.full = put_u64(b)};

	want->weight = weight.full;
	if (type & PERF_SAMPLE_WEIGHT)
		return;
	want->weight = weight.var1_dw;
	want->instruction_cycles = weight.var2_w;
	want->stage_cycles = weight.var3_w;
}

static void put_rest(struct ts_bytes *b, const struct perf_event_attr *attr, struct ts_sample *want)
{
	uint64_t type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put_weight(b, type, want);
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
		want->aux_size = 8 * (random_word() % 4);
		ts_bytes_u64(b, want->aux_size);
		put_words(b, want->aux_size / 8);
	}
}

void seal_record(struct ts_bytes *b, uint32_t type)
{
	struct perf_event_header h = {.type = type, .size = (uint16_t)b->len};

	assert(b->len <= UINT16_MAX);
	memcpy(b->data, &h, sizeof(h));
}

void build_sample(const struct perf_event_attr *attr, uint64_t id, struct ts_bytes *b,
		  struct ts_sample *want)
{
	*want = (struct ts_sample){.sid = {.pid = -1, .tid = -1, .cpu = -1}};
	want->period = attr->freq || !attr->sample_period ? 1 : attr->sample_period;
	ts_bytes_clear(b);
	ts_bytes_zero(b, 8);
	put_ids(b, attr->sample_type, id, want);
	put_payload(b, attr, want);
	put_rest(b, attr, want);
	seal_record(b, PERF_RECORD_SAMPLE);
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

void build_lost(const struct perf_event_attr *attr, uint64_t id, struct ts_bytes *b,
		struct ts_sample_id *want)
{
	*want = (struct ts_sample_id){.pid = -1, .tid = -1, .cpu = -1};
	ts_bytes_clear(b);
	ts_bytes_zero(b, 8);
	put_words(b, 2);
	if (attr->sample_id_all)
		put_trailer(b, attr->sample_type, id, want);
	seal_record(b, PERF_RECORD_LOST);
}

struct odd odd_copy(const struct ts_bytes *b, size_t size)
{
	struct odd o = {.block = malloc(size + 1)};
	uint16_t size16 = (uint16_t)size;

	memcpy(o.block + 1, b->data, size);
	if (size >= 8)
		memcpy(o.block + 1 + 6, &size16, 2);
	o.hdr = (const void *)(o.block + 1);
	return o;
}

struct perf_event_attr attr_of(uint64_t sample_type)
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
