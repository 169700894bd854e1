// SPDX-License-Identifier: Apache-2.0
/*
 * The input is an attr's deciding fields, a count of callers, and a sample with a dump of its stack.
 * The sample that compact makes of it is decoded by the new attr: it has the new callers, as many as
 * fit, no dump, and all other fields as before.
 */
#include "reader/compact/compact_sample.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

struct choice {
	uint64_t sample_type, read_format, branch_sample_type, regs_user, regs_intr, nr_callers;
};

static uint8_t made[COMPACT_SAMPLE_MAX];
static uint64_t callers[UINT16_MAX / 8];

static void check(int holds)
{
	if (!holds)
		abort();
}

static int index_event(struct ts_events *evs, const struct perf_event_attr *attr)
{
	const uint64_t id = 1;
	struct ts_error err;

	check(!ts_events_add(evs, attr, NULL, &id, 1, &err));
	return ts_events_index(evs, &err);
}

static void check_part(const uint8_t *a, uint64_t a_bytes, const uint8_t *b, uint64_t b_bytes)
{
	check(!a == !b && a_bytes == b_bytes && (!a_bytes || !memcmp(a, b, a_bytes)));
}

static void check_words(const struct ts_words *a, const struct ts_words *b)
{
	check_part(a->data, 8 * a->nr, b->data, 8 * b->nr);
}

static void check_fields(const struct ts_sample *a, const struct ts_sample *b)
{
	check(a->ip == b->ip && a->addr == b->addr && a->period == b->period &&
	      a->sid.time_ns == b->sid.time_ns && a->sid.tid == b->sid.tid &&
	      a->sid.cpu == b->sid.cpu && a->weight == b->weight && a->data_src == b->data_src &&
	      a->transaction == b->transaction && a->phys_addr == b->phys_addr &&
	      a->cgroup == b->cgroup && a->data_page_size == b->data_page_size &&
	      a->code_page_size == b->code_page_size && a->intr_abi == b->intr_abi);
	check_words(&a->read, &b->read);
	check_words(&a->branches, &b->branches);
	check_words(&a->intr_regs, &b->intr_regs);
	check_part(a->raw, a->raw_size, b->raw, b->raw_size);
	check_part(a->aux, a->aux_size, b->aux, b->aux_size);
}

static void compact_one(const struct ts_events *from, const struct ts_events *to,
			const struct perf_event_header *hdr, uint64_t nr_callers)
{
	const struct ts_words chain = {(const uint8_t *)callers,
				       nr_callers % (sizeof(callers) / sizeof(*callers))};
	struct ts_sample before, after;
	size_t bytes;

	if (ts_decode_sample(from, hdr, &before) != TS_DECODE_OK)
		return;
	bytes = compact_sample(hdr, &before, &chain, made);
	check(bytes == ts_record_load_header(made).size);
	check(ts_decode_sample(to, (const void *)made, &after) == TS_DECODE_OK);
	check(!after.user_stack && !after.user_regs.data && after.callchain.nr <= chain.nr);
	check_fields(&before, &after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_event_attr attr = {.size = sizeof(attr)}, new_attr;
	struct ts_events from = {0}, to = {0};
	struct choice c;

	if (size < sizeof(c) + sizeof(struct perf_event_header) ||
	    size - sizeof(c) < ts_record_load_header(data + sizeof(c)).size)
		return 0;
	memcpy(&c, data, sizeof(c));
	attr.sample_type = c.sample_type | PERF_SAMPLE_STACK_USER;
	attr.read_format = c.read_format;
	attr.branch_sample_type = c.branch_sample_type;
	attr.sample_regs_user = c.regs_user;
	attr.sample_regs_intr = c.regs_intr;
	new_attr = compact_attr(&attr);
	if (!index_event(&from, &attr) && !index_event(&to, &new_attr))
		compact_one(&from, &to, (const void *)(data + sizeof(c)), c.nr_callers);
	ts_events_release(&from);
	ts_events_release(&to);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	const struct choice c = {.sample_type = (uint64_t)nr * 0x9e3779b1 >> 7 & 0x1ffffff,
				 .read_format = nr % 32,
				 .branch_sample_type = (uint64_t)(nr & 1) << 17 | (uint64_t)(nr & 2)
											  << 18,
				 .regs_user = nr & 0xff,
				 .regs_intr = nr >> 8 & 0xff,
				 .nr_callers = nr % 7 ? nr % 50 : 8000};
	const struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = 8 + 8 * 60};

	ts_bytes_put(out, &c, sizeof(c));
	ts_bytes_put(out, &h, sizeof(h));
	for (uint64_t i = 0; i < 60; i++)
		ts_bytes_u64(out, 1 + (nr + i) % 3);
}
