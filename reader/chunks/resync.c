// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/resync.h"

#include "common/perf/record_type.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/record_sanity.h"

#define RUN_RECORDS 4 /* so many in a row are no accident */

static bool is_plausible(const struct ts_events *events, const struct perf_event_header *hdr)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	struct ts_sample_id sid;
	bool is_unknown;

	if (!ts_record_type_name(h.type) || h.size % 8)
		return false;
	if (h.type >= TS_RECORD_USER_START)
		return true;
	if ((h.misc & PERF_RECORD_MISC_CPUMODE_MASK) > PERF_RECORD_MISC_GUEST_USER ||
	    record_sanity_check(events, hdr, &is_unknown) || is_unknown)
		return false;
	return ts_decode_id(events, hdr, &sid) == TS_DECODE_OK && sid.event != TS_NO_EVENT;
}

static bool begins_run(const struct ts_events *events, const uint8_t *at, const uint8_t *end)
{
	struct chunk_walk walk = {at, end};
	const struct perf_event_header *hdr;
	unsigned int nr_kernel = 0;

	for (unsigned int i = 0; i < RUN_RECORDS; i++) {
		hdr = chunk_walk_next(&walk);
		if (!hdr || !is_plausible(events, hdr))
			return false;
		nr_kernel += ts_record_load_u32(hdr) < TS_RECORD_USER_START;
		if (walk.at == walk.end)
			break;
	}
	/* perf's own records alone prove too little */
	return nr_kernel > 0;
}

uint64_t resync_within(const struct ts_events *events, const uint8_t *base, uint64_t from,
		       uint64_t until, uint64_t end)
{
	for (; from < until && from < end && end - from >= sizeof(struct perf_event_header);
	     from += 8)
		if (ts_record_load_u32(base + from) < CHUNK_RECORD_TYPES &&
		    begins_run(events, base + from, base + end))
			return from;
	return end;
}

uint64_t resync_next(const struct ts_events *events, const uint8_t *base, uint64_t from,
		     uint64_t end)
{
	return resync_within(events, base, from, end, end);
}
