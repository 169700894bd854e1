// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/resync.h"

#include "common/perf/record_type.h"
#include "reader/chunks/chunk_table.h"
#include "reader/chunks/record_sanity.h"

#define RUN_RECORDS 4 /* so many in a row are no accident */

/* A run as long as this has left any record in whose dumped stack it may have begun. */
#define GUESS_RUN_BYTES (64u << 10)

static bool is_plausible(const struct ts_events *events, const struct perf_event_header *hdr)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	struct ts_sample_id sid;
	bool is_unknown;

	if (!ts_record_type_name(h.type))
		return false;
	if (h.type >= TS_RECORD_USER_START)
		return true;
	if ((h.misc & PERF_RECORD_MISC_CPUMODE_MASK) > PERF_RECORD_MISC_GUEST_USER ||
	    record_sanity_check(events, hdr, &is_unknown) || is_unknown)
		return false;
	return ts_decode_id(events, hdr, &sid) == TS_DECODE_OK && sid.event != TS_NO_EVENT;
}

/* Sets *ret_stop to the place where the run ends. */
static bool begins_run(const struct ts_events *events, const uint8_t *at, const uint8_t *end,
		       size_t least, const uint8_t **ret_stop)
{
	const uint8_t *begin = at;
	unsigned int nr_kernel = 0;
	size_t span;

	for (unsigned int i = 0; at < end && (i < RUN_RECORDS || (size_t)(at - begin) < least);
	     i++) {
		*ret_stop = at;
		span = record_sanity_span(at, (size_t)(end - at));
		if (!span || !is_plausible(events, (const void *)at))
			return false;
		nr_kernel += ts_record_load_u32(at) < TS_RECORD_USER_START;
		at += span;
	}
	/* perf's own records alone prove too little */
	return nr_kernel > 0;
}

bool resync_is_run(const struct ts_events *events, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *stop;

	return begins_run(events, at, end, 0, &stop);
}

/* Offset of a run of RUN_RECORDS that begins before `until`; `end` if there is none. */
static uint64_t find_run(const struct ts_events *events, const uint8_t *base, uint64_t from,
			 uint64_t until, uint64_t end, unsigned int step)
{
	const uint8_t *stop;

	for (; from < until && from < end && end - from >= sizeof(struct perf_event_header);
	     from += step)
		if (ts_record_load_u32(base + from) < CHUNK_RECORD_TYPES &&
		    begins_run(events, base + from, base + end, 0, &stop))
			return from;
	return end;
}

uint64_t resync_next(const struct ts_events *events, const uint8_t *base, uint64_t from,
		     uint64_t end, unsigned int step)
{
	return find_run(events, base, from, end, end, step);
}

uint64_t resync_guess(const struct ts_events *events, const uint8_t *base, uint64_t from,
		      uint64_t until, uint64_t end, unsigned int step)
{
	const uint8_t *stop = NULL;

	while ((from = find_run(events, base, from, until, end, step)) < end &&
	       !begins_run(events, base + from, base + end, GUESS_RUN_BYTES, &stop))
		from += ((uint64_t)(stop - base) - from + step - 1) / step *
			step; /* each byte once */
	return from < end ? from : end;
}
