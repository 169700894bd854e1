// SPDX-License-Identifier: Apache-2.0
#include "common/perf/header_pipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/inflate.h"
#include "common/perf/record_type.h"

#define HEADER_BYTES   sizeof(struct perf_event_header)
#define BUILD_ID_LEAST 36 /* header, pid, build-id, its size */
#define UPDATE_NAME    2  /* EVENT_UPDATE: the type that gives a name */

/* in an attr */
#define FLAGS_OFFSET 40
#define TYPE_OFFSET  24

/* Bytes to the next record; 0: none follows. */
static size_t record_span(const uint8_t *at, size_t left)
{
	if (left >= HEADER_BYTES && ts_record_load_header(at).type == TS_RECORD_COMPRESSED2)
		return ts_inflater_span(at, left);
	return ts_record_span(at, left);
}

bool ts_header_attr_is_newer(const uint8_t *attr, size_t size)
{
	for (size_t at = TS_KNOWN_ATTR_BYTES; at < size; at++)
		if (attr[at])
			return true;
	return ts_record_load_u64(attr + FLAGS_OFFSET) >> TS_KNOWN_FLAGS ||
	       ts_record_load_u64(attr + TYPE_OFFSET) >> TS_KNOWN_FIELDS;
}

/* Reads an ATTR record: the attr, then ids up to the end. A malformed one is skipped. */
static int take_attr(struct ts_cursor c, struct ts_header *h)
{
	struct perf_event_attr attr = {0};
	struct ts_error ignored;
	const uint8_t *at;
	uint32_t size;

	if (c.left < PERF_ATTR_SIZE_VER0)
		return 0;
	size = ts_record_load_u32(c.at + offsetof(struct perf_event_attr, size));
	size = size ? size : PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || !ts_cursor_bytes(&c, size, &at))
		return 0;
	memcpy(&attr, at, ts_min(size, sizeof(attr)));
	attr.size = size;
	h->nr_newer_attrs += ts_header_attr_is_newer(at, size);
	return ts_events_add(&h->events, &attr, NULL, c.at, c.left / sizeof(uint64_t), &ignored);
}

/*
 * A feature without a payload is only an end mark, except for features that never have a payload.
 */
static void take_feature(struct ts_cursor c, struct ts_header *h)
{
	uint64_t bit;

	if (!ts_cursor_u64(&c, &bit) || bit >= TS_PERF_FEATURE_BITS)
		return;
	if (c.left || bit == TS_FEAT_BRANCH_STACK || bit == TS_FEAT_STAT)
		h->features[bit] = (struct ts_feature_section){c.at, c.left};
}

/* The formats follow the record; ts_record_span() has checked that they exist. */
static void take_tracing_data(const uint8_t *record, struct ts_header *h)
{
	size_t size = ts_record_load_header(record).size;

	if (size >= HEADER_BYTES + 4 && !h->features[TS_FEAT_TRACING_DATA].data)
		h->features[TS_FEAT_TRACING_DATA] = (struct ts_feature_section){
			record + size, ts_record_load_u32(record + HEADER_BYTES)};
}

static int take_record(const uint8_t *record, struct ts_header *h)
{
	struct perf_event_header hdr = ts_record_load_header(record);
	struct ts_cursor body = {record + HEADER_BYTES, hdr.size - HEADER_BYTES};

	switch (hdr.type) {
	case TS_RECORD_HEADER_ATTR:
		return take_attr(body, h);
	case TS_RECORD_FEATURE:
		take_feature(body, h);
		return 0;
	case TS_RECORD_TRACING_DATA:
		take_tracing_data(record, h);
		return 0;
	case TS_RECORD_BUILD_ID:
		if (hdr.size >= BUILD_ID_LEAST)
			ts_bytes_put(&h->build_ids, record, hdr.size);
		return 0;
	default:
		return 0;
	}
}

int ts_header_pipe_collect(const uint8_t *base, size_t len, struct ts_header *h)
{
	size_t at = TS_PIPE_HEADER_BYTES, span;
	int rc = 0;

	h->is_pipe = h->data_unfinished = true;
	h->data_offset = TS_PIPE_HEADER_BYTES;
	h->data_size = len - TS_PIPE_HEADER_BYTES;
	for (; !rc && (span = record_span(base + at, len - at)); at += span)
		rc = take_record(base + at, h);
	if (rc || ts_bytes_failed(&h->build_ids))
		return -ENOMEM;
	if (h->build_ids.len)
		h->features[TS_FEAT_BUILD_ID] =
			(struct ts_feature_section){h->build_ids.data, h->build_ids.len};
	return 0;
}

static int name_event(struct ts_cursor c, struct ts_events *evs)
{
	uint64_t type, id;
	uint32_t found;
	char *name;

	if (!ts_cursor_u64(&c, &type) || !ts_cursor_u64(&c, &id) || type != UPDATE_NAME ||
	    !c.left || !*c.at || !memchr(c.at, '\0', c.left))
		return 0;
	found = ts_events_find(evs, id);
	if (found == TS_NO_EVENT)
		return 0;
	name = strndup((const char *)c.at, TS_RECORD_NAME_MAX - 1);
	if (!name)
		return -ENOMEM;
	free(evs->items[found].name);
	evs->items[found].name = name;
	return 0;
}

int ts_header_pipe_name_events(const uint8_t *base, size_t len, struct ts_events *evs)
{
	size_t at = TS_PIPE_HEADER_BYTES, span;
	int rc = 0;

	for (; !rc && (span = record_span(base + at, len - at)); at += span) {
		struct perf_event_header hdr = ts_record_load_header(base + at);

		if (hdr.type == TS_RECORD_EVENT_UPDATE)
			rc = name_event((struct ts_cursor){base + at + HEADER_BYTES,
							   hdr.size - HEADER_BYTES},
					evs);
	}
	return rc;
}
