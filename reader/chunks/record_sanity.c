// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/record_sanity.h"

#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/record_type.h"

/* No kernel and no perf is known to have types beyond these, and none will have soon. */
#define KERNEL_TYPES_END 40
#define USER_TYPES_END	 112

static const char *check_type(uint32_t type)
{
	if (type && type < KERNEL_TYPES_END)
		return NULL;
	if (type >= TS_RECORD_USER_START && type < USER_TYPES_END)
		return NULL;
	return "a record has a type that does not exist";
}

/* Some versions of perf do not pad these. */
static bool may_leave_grid(uint32_t type)
{
	return type == TS_RECORD_TRACING_DATA || type == TS_RECORD_BUILD_ID ||
	       type == TS_RECORD_AUXTRACE || type == TS_RECORD_FEATURE ||
	       type == TS_RECORD_COMPRESSED;
}

size_t record_sanity_span(const uint8_t *at, size_t left)
{
	size_t span = ts_record_span(at, left);
	uint32_t type;

	if (!span)
		return 0;
	type = ts_record_load_u32(at);
	return check_type(type) || (span % 8 && !may_leave_grid(type)) ? 0 : span;
}

/* Does the name at the end of such a record end inside it? */
static bool has_name(const struct perf_event_header *hdr, const struct perf_event_header *h,
		     size_t trailer)
{
	size_t fixed = ts_record_type_fixed_bytes(h->type);

	switch (h->type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		break;
	default:
		return true;
	}
	if (h->size < fixed + trailer)
		return false;
	return memchr((const uint8_t *)hdr + fixed, '\0',
		      ts_min(h->size - fixed - trailer, (size_t)TS_RECORD_NAME_MAX)) != NULL;
}

static const char *check_sample(const struct ts_events *events, const struct perf_event_header *hdr,
				bool *ret_unknown_event)
{
	struct ts_sample sample;

	switch (ts_decode_sample(events, hdr, &sample)) {
	case TS_DECODE_UNKNOWN_EVENT:
		*ret_unknown_event = true;
		return NULL;
	case TS_DECODE_BAD:
		return "a sample is not as long as its fields";
	default:
		return NULL;
	}
}

const char *record_sanity_check(const struct ts_events *events, const struct perf_event_header *hdr,
				bool *ret_unknown_event)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	const char *reason = check_type(h.type);
	struct ts_sample_id sid;

	*ret_unknown_event = false;
	if (reason || h.type >= TS_RECORD_USER_START)
		return reason;
	if (h.size % 8)
		return "the size of a record is no multiple of 8";
	if (!events->nr)
		return NULL;
	if (h.type == PERF_RECORD_SAMPLE)
		return check_sample(events, hdr, ret_unknown_event);
	if (ts_decode_trailer(events, hdr, &sid) == TS_DECODE_BAD)
		return "a record is not as long as its fields";
	*ret_unknown_event = sid.event == TS_NO_EVENT || !ts_record_type_name(h.type);
	if (!has_name(hdr, &h, events->trailer_bytes))
		return "the name in a record does not end";
	return NULL;
}
