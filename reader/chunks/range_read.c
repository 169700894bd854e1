// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/range_read.h"

#include "common/base/sum.h"
#include "common/perf/lengthened.h"

/* Offset of the time in a SAMPLE with this sample_type. */
static uint32_t sample_time_off(uint64_t type)
{
	uint32_t off = sizeof(struct perf_event_header);

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	off += type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
	off += type & PERF_SAMPLE_IP ? 8 : 0;
	off += type & PERF_SAMPLE_TID ? 8 : 0;
	return off;
}

/* Distance of the time from the end of any record that is no SAMPLE. */
static uint32_t trailer_time_tail(uint64_t type)
{
	static const uint64_t behind[] = {PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					  PERF_SAMPLE_IDENTIFIER};
	uint32_t tail = 8;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++)
		tail += type & behind[i] ? 8 : 0;
	return tail;
}

void range_layout_init(struct range_layout *l, const struct ts_events *events)
{
	*l = (struct range_layout){.events = events};
	for (size_t i = 0; i < events->nr; i++) {
		uint64_t type = events->items[i].attr.sample_type;
		uint32_t off = sample_time_off(type);
		uint32_t tail = events->sample_id_all ? trailer_time_tail(type) : 0;

		if (!i) {
			l->sample_time_off = off;
			l->trailer_time_tail = tail;
		}
		if (off != l->sample_time_off)
			l->sample_time_off = 0;
		if (tail != l->trailer_time_tail)
			l->trailer_time_tail = 0;
	}
	l->sample_min_bytes = l->sample_time_off + 8;
	l->trailer_bytes = events->trailer_bytes;
}

static uint64_t decoded_time(const struct range_layout *l, const struct perf_event_header *hdr)
{
	struct ts_sample_id sid;

	return ts_decode_id(l->events, hdr, &sid) == TS_DECODE_OK ? sid.time_ns : 0;
}

uint64_t range_layout_time(const struct range_layout *l, const struct perf_event_header *hdr)
{
	const uint8_t *at = (const uint8_t *)hdr;
	struct perf_event_header h = ts_record_load_header(at);
	uint64_t time;

	if (h.type == PERF_RECORD_SAMPLE && l->sample_time_off && h.size >= l->sample_min_bytes)
		time = ts_record_load_u64(at + l->sample_time_off);
	else if (h.type != PERF_RECORD_SAMPLE && !ts_lengthened_is_type(h.type) &&
		 l->trailer_time_tail && h.size >= sizeof(h) + l->trailer_time_tail)
		time = ts_record_load_u64(at + h.size - l->trailer_time_tail);
	else
		time = decoded_time(l, hdr);
	return time == UINT64_MAX ? 0 : time;
}

static void count_sample(const struct range_layout *l, const struct perf_event_header *hdr,
			 struct chunk_counts *counts)
{
	struct ts_sample_id sid;
	uint32_t event = TS_NO_EVENT;

	if (l->events->nr == 1)
		event = 0;
	else if (ts_decode_sample_id(l->events, hdr, &sid) == TS_DECODE_OK)
		event = sid.event;
	counts->event_samples[event < counts->nr_events ? event : counts->nr_events]++;
}

static void count_lost(const struct range_layout *l, const struct perf_event_header *hdr,
		       struct chunk_counts *counts)
{
	const uint8_t *body = (const uint8_t *)hdr + sizeof(*hdr);
	struct ts_sample_id sid;
	uint64_t lost;

	if (ts_decode_trailer(l->events, hdr, &sid) != TS_DECODE_OK)
		return;
	if (ts_record_load_header(hdr).type == PERF_RECORD_LOST) {
		counts->lost = ts_sum(counts->lost, ts_record_load_u64(body + 8));
		return;
	}
	lost = ts_record_load_u64(body);
	counts->lost_samples = ts_sum(counts->lost_samples, lost);
	if (sid.event < counts->nr_events)
		counts->event_lost[sid.event] = ts_sum(counts->event_lost[sid.event], lost);
}

/* Records that tools wrote have neither time nor CPU, so a selection does not count them. */
static bool is_counted(const struct range_layout *l, const struct perf_event_header *hdr,
		       uint32_t type, const struct chunk_counts *counts)
{
	struct ts_sample_id sid;

	if (!counts->selection)
		return true;
	return type < TS_RECORD_USER_START && ts_decode_id(l->events, hdr, &sid) == TS_DECODE_OK &&
	       selection_takes_record(counts->selection, &sid) &&
	       selection_takes_thread(counts->selection, sid.pid, sid.tid, NULL);
}

static void count_record(const struct range_layout *l, const struct perf_event_header *hdr,
			 uint32_t type, struct chunk_counts *counts)
{
	if (type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES)
		count_lost(l, hdr, counts);
	if (!counts->is_full)
		return;
	chunk_counts_type(counts, type);
	if (type == PERF_RECORD_SAMPLE)
		count_sample(l, hdr, counts);
}

static void note_time(struct chunk *chunk, uint64_t time)
{
	if (!time) {
		chunk->flags |= CHUNK_UNTIMED;
		return;
	}
	if (time < chunk->time_min_ns)
		chunk->time_min_ns = time;
	if (time > chunk->time_max_ns)
		chunk->time_max_ns = time;
}

size_t range_read(const struct range_layout *l, const uint8_t *records, size_t len,
		  struct chunk *chunk, struct chunk_counts *counts)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;

	chunk->nr_records = 0;
	chunk->time_min_ns = UINT64_MAX;
	chunk->time_max_ns = 0;
	while ((hdr = chunk_walk_next(&walk))) {
		uint32_t type = ts_record_load_u32(hdr);

		chunk->nr_records++;
		if (counts && is_counted(l, hdr, type, counts))
			count_record(l, hdr, type, counts);
		if (type >= TS_RECORD_USER_START) {
			chunk->flags |= CHUNK_USER;
			continue;
		}
		chunk->flags |= type == PERF_RECORD_SAMPLE ? CHUNK_SAMPLES : CHUNK_SIDEBAND;
		if (CHUNK_TASK_TYPES >> type & 1)
			chunk->flags |= CHUNK_TASKS;
		note_time(chunk, range_layout_time(l, hdr));
	}
	return (size_t)(walk.at - records);
}
