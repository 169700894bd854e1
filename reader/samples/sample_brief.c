// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/sample_brief.h"

#include <errno.h>
#include <stdlib.h>

/* Fields of fixed size in their order, and the fields that may follow them. */
#define BRIEF_BITS                                                                                 \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

/* The offset of the next one-word field; 0: the event does not carry it. */
static uint16_t next_word(const struct perf_event_attr *attr, uint64_t bit, uint16_t *off)
{
	uint16_t at = *off;

	if (!(attr->sample_type & bit))
		return 0;
	*off = (uint16_t)(at + 8);
	return at;
}

static struct sample_brief_layout layout_of(const struct ts_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct sample_brief_layout l = {.is_fixed = !(attr->sample_type & ~(uint64_t)BRIEF_BITS) &&
						    !ts_event_defers_callchain(attr),
					.is_exact = ts_event_knows_fields(event)};
	uint16_t off = sizeof(struct perf_event_header);

	l.id = next_word(attr, PERF_SAMPLE_IDENTIFIER, &off);
	l.ip = next_word(attr, PERF_SAMPLE_IP, &off);
	l.tid = next_word(attr, PERF_SAMPLE_TID, &off);
	l.time = next_word(attr, PERF_SAMPLE_TIME, &off);
	l.addr = next_word(attr, PERF_SAMPLE_ADDR, &off);
	if (attr->sample_type & PERF_SAMPLE_ID)
		l.id = next_word(attr, PERF_SAMPLE_ID, &off);
	l.stream_id = next_word(attr, PERF_SAMPLE_STREAM_ID, &off);
	l.cpu = next_word(attr, PERF_SAMPLE_CPU, &off);
	l.period = next_word(attr, PERF_SAMPLE_PERIOD, &off);
	l.fixed_bytes = off;
	l.has_chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN;
	l.has_raw = attr->sample_type & PERF_SAMPLE_RAW;
	l.usual_period = attr->freq || !attr->sample_period ? 1 : attr->sample_period;
	return l;
}

int sample_brief_init(struct sample_brief *b, const struct ts_events *events)
{
	*b = (struct sample_brief){.events = events};
	b->layouts = calloc(events->nr + 1, sizeof(*b->layouts));
	if (!b->layouts)
		return -ENOMEM;
	for (size_t i = 0; i < events->nr; i++)
		b->layouts[i] = layout_of(&events->items[i]);
	return 0;
}

void sample_brief_release(struct sample_brief *b)
{
	free(b->layouts);
	*b = (struct sample_brief){0};
}

static uint64_t word_at(const uint8_t *record, uint16_t off)
{
	return off ? ts_record_load_u64(record + off) : 0;
}

static uint32_t half_at(const uint8_t *record, uint16_t off, uint16_t more)
{
	return off ? ts_record_load_u32(record + off + more) : (uint32_t)-1;
}

static void take_fixed(const struct sample_brief_layout *l, const uint8_t *record,
		       struct ts_sample *ret)
{
	ret->sid.pid = half_at(record, l->tid, 0);
	ret->sid.tid = half_at(record, l->tid, 4);
	ret->sid.cpu = half_at(record, l->cpu, 0);
	ret->sid.time_ns = word_at(record, l->time);
	ret->sid.id = word_at(record, l->id);
	ret->sid.stream_id = word_at(record, l->stream_id);
	ret->ip = word_at(record, l->ip);
	ret->addr = word_at(record, l->addr);
	ret->period = l->period ? ts_record_load_u64(record + l->period) : l->usual_period;
}

/* Decodes the fields that begin with their size. False: the fields do not end with the record. */
static bool take_sized(const struct sample_brief_layout *l, const uint8_t *at, const uint8_t *end,
		       struct ts_sample *ret)
{
	ret->callchain = (struct ts_words){0};
	ret->raw = NULL;
	ret->raw_size = 0;
	if (l->has_chain) {
		if (end - at < 8)
			return false;
		ret->callchain.nr = ts_record_load_u64(at);
		ret->callchain.data = at += 8;
		if (ret->callchain.nr > (uint64_t)(end - at) / 8)
			return false;
		at += 8 * ret->callchain.nr;
	}
	if (l->has_raw) {
		if (end - at < 4)
			return false;
		ret->raw_size = ts_record_load_u32(at);
		ret->raw = at += 4;
		if (ret->raw_size > (uint64_t)(end - at))
			return false;
		at += ret->raw_size;
	}
	return at == end || !l->is_exact;
}

enum ts_decode sample_brief_decode(const struct sample_brief *b,
				   const struct perf_event_header *hdr, struct ts_sample *ret)
{
	const uint8_t *record = (const void *)hdr;
	const struct ts_events *events = b->events;
	const struct sample_brief_layout *l;
	size_t size = ts_record_load_header(hdr).size;
	uint32_t event;

	if (size < (events->id_off ? events->id_off + 8 : sizeof(*hdr)))
		return TS_DECODE_BAD;
	event = ts_events_find(events, word_at(record, (uint16_t)events->id_off));
	if (event == TS_NO_EVENT)
		return TS_DECODE_UNKNOWN_EVENT;
	l = &b->layouts[event];
	if (!l->is_fixed)
		return ts_decode_sample(events, hdr, ret);
	if (size < l->fixed_bytes)
		return TS_DECODE_BAD;
	ret->sid.event = event;
	take_fixed(l, record, ret);
	ret->cgroup = 0; /* events that carry it have no fixed layout */
	ret->deferred_cookie = 0;
	return take_sized(l, record + l->fixed_bytes, record + size, ret) ? TS_DECODE_OK
									  : TS_DECODE_BAD;
}
