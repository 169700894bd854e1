// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/record_walk.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "common/perf/record.h"

#define SAMPLE_PID_OFF	      24 /* header, id, ip */
#define SAMPLE_TIME_OFF	      32 /* ..., pid and tid */
#define SAMPLE_BYTES_MIN      (SAMPLE_TIME_OFF + 8)
#define TRAILER_TIME_FROM_END 24

static void note_time(struct record_walk *w, uint64_t time_ns)
{
	if (time_ns == 0)
		return;
	if (time_ns < w->time_min_ns || w->time_min_ns == 0)
		w->time_min_ns = time_ns;
	if (time_ns > w->time_max_ns)
		w->time_max_ns = time_ns;
}

/* A sample of process 0, which idles, never counts as the recorder's own. */
static void note_sample(struct record_walk *w, const uint8_t *at, size_t size, uint32_t own_pid)
{
	w->nr_samples++;
	if (size < SAMPLE_BYTES_MIN)
		return;
	note_time(w, ts_record_load_u64(at + SAMPLE_TIME_OFF));
	w->nr_own += own_pid && ts_record_load_u32(at + SAMPLE_PID_OFF) == own_pid;
}

static void note_other(struct record_walk *w, const uint8_t *at,
		       const struct perf_event_header *hdr)
{
	if (hdr->type == PERF_RECORD_LOST && !w->lost)
		w->lost_after_ns = w->time_max_ns;
	if (hdr->size >= sizeof(*hdr) + RECORD_WALK_TRAILER_BYTES)
		note_time(w, ts_record_load_u64(at + hdr->size - TRAILER_TIME_FROM_END));
	if (hdr->type == PERF_RECORD_LOST && hdr->size >= 24)
		w->lost += ts_record_load_u64(at + 16);
	else if (hdr->type == PERF_RECORD_LOST_SAMPLES && hdr->size >= 16)
		w->lost_samples += ts_record_load_u64(at + 8);
	else if (hdr->type == PERF_RECORD_THROTTLE)
		w->throttles++;
}

/*
 * The end of a record is the start of the next one. So the time of this loop is the time from one
 * size to the next. For that reason the size is loaded alone, and nothing else of the header is
 * computed on that path.
 */
bool record_walk_all(const void *run, size_t len, uint32_t own_pid, struct record_walk *ret,
		     size_t *ret_bad)
{
	const uint8_t *at = run, *end = at + len;
	struct perf_event_header hdr;
	struct record_walk w = {0};
	size_t size;

	for (; (size_t)(end - at) >= sizeof(hdr); at += size) {
		size = ts_record_load_u16(at + offsetof(struct perf_event_header, size));
		if (size < sizeof(hdr) || size % 8 || size > (size_t)(end - at))
			break;
		w.nr_records++;
		memcpy(&hdr, at, sizeof(hdr));
		if (hdr.type == PERF_RECORD_SAMPLE)
			note_sample(&w, at, size, own_pid);
		else
			note_other(&w, at, &hdr);
	}
	*ret = w;
	*ret_bad = (size_t)(at - (const uint8_t *)run);
	return at == end;
}

uint32_t record_walk_pid(const void *record)
{
	const struct perf_event_header hdr = ts_record_load_header(record);

	if (hdr.type != PERF_RECORD_SAMPLE || hdr.size < SAMPLE_BYTES_MIN)
		return UINT32_MAX;
	return ts_record_load_u32((const uint8_t *)record + SAMPLE_PID_OFF);
}

void record_walk_delay(void *record)
{
	size_t off = ts_record_load_header(record).size - TRAILER_TIME_FROM_END;
	uint64_t time_ns = ts_record_load_u64((uint8_t *)record + off) + 1;

	memcpy((uint8_t *)record + off, &time_ns, sizeof(time_ns));
}

uint64_t record_walk_time(const void *record)
{
	struct perf_event_header hdr;
	const uint8_t *at = record;

	memcpy(&hdr, at, sizeof(hdr));
	if (hdr.type == PERF_RECORD_SAMPLE)
		return hdr.size < SAMPLE_BYTES_MIN ? 0 : ts_record_load_u64(at + SAMPLE_TIME_OFF);
	if (hdr.size < sizeof(hdr) + RECORD_WALK_TRAILER_BYTES)
		return 0;
	return ts_record_load_u64(at + hdr.size - TRAILER_TIME_FROM_END);
}

void record_walk_set_times(void *run, size_t len, uint64_t time_ns)
{
	uint8_t *at = run, *end = at + len;

	while (at < end) {
		at += ts_record_load_header(at).size;
		memcpy(at - TRAILER_TIME_FROM_END, &time_ns, sizeof(time_ns));
	}
}
