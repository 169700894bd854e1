// SPDX-License-Identifier: Apache-2.0
/*
 * The input is an attr's deciding fields and a record of that event, or of one of two such events.
 * All decoded fields must lie inside the record.
 */
#include "common/perf/record.h"

#include <stdlib.h>
#include <string.h>

#include "reader/samples/sample_brief.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/task_records.h"

struct choice {
	uint64_t sample_type, read_format, branch_sample_type, regs_user, regs_intr;
	uint64_t flags; /* 1: sample_id_all, 2: two events, 4: freq, 8: deferred callchains */
};

struct bounds {
	const uint8_t *data;
	size_t size;
};

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_part(const struct bounds *b, const uint8_t *part, uint64_t len)
{
	if (part)
		check(part >= b->data && part <= b->data + b->size &&
		      len <= (uint64_t)(b->data + b->size - part));
}

static void check_words(const struct bounds *b, const struct ts_words *w)
{
	check(w->nr <= UINT16_MAX);
	check_part(b, w->data, 8 * w->nr);
	for (uint64_t i = 0; w->data && i < w->nr; i++)
		ts_word(w, i);
}

static void check_sample(const struct bounds *b, const struct ts_sample *s)
{
	check_words(b, &s->read);
	check_words(b, &s->callchain);
	check_words(b, &s->branches);
	check_words(b, &s->user_regs);
	check_words(b, &s->intr_regs);
	check_part(b, s->raw, s->raw_size);
	check_part(b, s->user_stack, s->user_stack_size);
	check_part(b, s->aux, s->aux_size);
	check(s->user_stack_dyn <= s->user_stack_size);
}

static void add_event(struct ts_events *evs, const struct choice *c, uint64_t id)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .sample_type = c->sample_type,
				       .read_format = c->read_format,
				       .branch_sample_type = c->branch_sample_type,
				       .sample_regs_user = c->regs_user,
				       .sample_regs_intr = c->regs_intr,
				       .sample_id_all = c->flags & 1,
				       .freq = c->flags >> 2 & 1};
	uint64_t flags = ts_record_load_u64((const uint8_t *)&attr + 40);
	struct ts_error err;

	flags |= (c->flags & 8) << 35; /* user callchains in records of their own */
	memcpy((uint8_t *)&attr + 40, &flags, sizeof(flags));

	check(!ts_events_add(evs, &attr, NULL, &id, 1, &err));
}

/* The quick decoder finds the same, and refuses the same. */
static void check_brief(const struct ts_events *evs, const uint8_t *data, enum ts_decode found,
			const struct ts_sample *s)
{
	struct ts_sample quick;
	struct sample_brief brief;

	check(!sample_brief_init(&brief, evs));
	check(sample_brief_decode(&brief, (const void *)data, &quick) == found);
	if (found == TS_DECODE_OK)
		check(quick.sid.event == s->sid.event && quick.sid.time_ns == s->sid.time_ns &&
		      quick.sid.tid == s->sid.tid && quick.sid.cpu == s->sid.cpu &&
		      quick.ip == s->ip && quick.addr == s->addr && quick.period == s->period &&
		      quick.callchain.nr == s->callchain.nr && quick.raw == s->raw &&
		      quick.raw_size == s->raw_size && quick.cgroup == s->cgroup);
	sample_brief_release(&brief);
}

static void decode(const struct ts_events *evs, const uint8_t *data, size_t size)
{
	struct bounds bounds = {data, size};
	struct ts_sample_id sid;
	struct ts_sample s;
	enum ts_decode found = ts_decode_sample(evs, (const void *)data, &s);

	check_brief(evs, data, found, &s);
	if (found == TS_DECODE_OK) {
		check_sample(&bounds, &s);
		check(ts_decode_sample_id(evs, (const void *)data, &sid) == TS_DECODE_OK);
		check(sid.time_ns == s.sid.time_ns && sid.event == s.sid.event);
	}
	ts_decode_trailer(evs, (const void *)data, &sid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_events evs = {0};
	struct ts_error err;
	struct choice c;

	if (size < sizeof(c) + sizeof(struct perf_event_header) ||
	    size - sizeof(c) < ts_record_load_header(data + sizeof(c)).size)
		return 0;
	memcpy(&c, data, sizeof(c));
	add_event(&evs, &c, 1);
	if (c.flags & 2) {
		c.sample_type ^= PERF_SAMPLE_RAW | PERF_SAMPLE_STREAM_ID;
		add_event(&evs, &c, 2);
	}
	if (!ts_events_index(&evs, &err))
		decode(&evs, data + sizeof(c), size - sizeof(c));
	ts_events_release(&evs);
	return 0;
}

void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	struct choice c = {.sample_type = (uint64_t)nr * 0x9e3779b1 >> 7 & 0x1ffffff,
			   .read_format = nr % 32,
			   .branch_sample_type = (uint64_t)(nr & 1) << 17 | (uint64_t)(nr & 2)
										    << 18,
			   .regs_user = nr & 0xff,
			   .regs_intr = nr >> 8 & 0xff,
			   .flags = nr % 16};
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = 8 + 8 * 60};

	ts_bytes_put(out, &c, sizeof(c));
	ts_bytes_put(out, &h, sizeof(h));
	for (uint64_t i = 0; i < 60; i++)
		ts_bytes_u64(out, 1 + (nr + i) % 3);
}
