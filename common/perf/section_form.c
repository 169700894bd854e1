// SPDX-License-Identifier: Apache-2.0
#include "common/perf/section_form.h"

#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/perf_layout.h"

static bool has_bytes(struct ts_cursor c, size_t bytes)
{
	const uint8_t *at;

	return ts_cursor_bytes(&c, bytes, &at);
}

static bool is_string(struct ts_cursor c)
{
	const char *text;

	return ts_cursor_string(&c, &text);
}

/* Is it a number, followed by as many strings? */
static bool is_list(struct ts_cursor c)
{
	const char *text;
	uint32_t nr;

	if (!ts_cursor_u32(&c, &nr))
		return false;
	for (; nr; nr--)
		if (!ts_cursor_string(&c, &text))
			return false;
	return true;
}

static bool is_tracing_data(struct ts_cursor c)
{
	static const uint8_t magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	const uint8_t *at;

	return ts_cursor_bytes(&c, sizeof(magic), &at) && !memcmp(at, magic, sizeof(magic));
}

/* Are these records of build-ids, one behind the other, to the end? */
static bool is_build_ids(struct ts_cursor c)
{
	const uint8_t *at;

	while (c.left) {
		size_t size = c.left >= 8 ? ts_record_load_header(c.at).size : 0;

		if (size < 8 + 4 + 24 || !ts_cursor_bytes(&c, size, &at))
			return false;
	}
	return true;
}

static bool is_well_formed(unsigned int bit, struct ts_cursor c)
{
	switch (bit) {
	case TS_FEAT_HOSTNAME:
	case TS_FEAT_OSRELEASE:
	case TS_FEAT_VERSION:
	case TS_FEAT_ARCH:
	case TS_FEAT_CPUDESC:
	case TS_FEAT_CPUID:
		return is_string(c);
	case TS_FEAT_CMDLINE:
		return is_list(c);
	case TS_FEAT_TRACING_DATA:
		return is_tracing_data(c);
	case TS_FEAT_BUILD_ID:
		return is_build_ids(c);
	case TS_FEAT_NRCPUS:
	case TS_FEAT_TOTAL_MEM:
	case TS_FEAT_CLOCKID:
	case TS_FEAT_DIR_FORMAT:
		return has_bytes(c, 8);
	case TS_FEAT_SAMPLE_TIME:
		return has_bytes(c, 16);
	case TS_FEAT_COMPRESSED:
		return has_bytes(c, 20);
	case TS_FEAT_CLOCK_DATA:
		return has_bytes(c, 24);
	default:
		return true;
	}
}

/* Events have of a longer attr the known part, and as its size the bytes of that part. */
static bool is_attr_of(const struct ts_event *ev, const uint8_t *attr, size_t bytes)
{
	struct perf_event_attr known = {0};

	memcpy(&known, attr, ts_min(bytes, sizeof(known)));
	known.size = known.size ? (uint32_t)ts_min(known.size, sizeof(known)) : PERF_ATTR_SIZE_VER0;
	return !memcmp(&known, &ev->attr, ts_min(bytes, ev->attr.size));
}

/* Does EVENT_DESC repeat the events and their ids? */
static bool repeats_events(struct ts_cursor at, const struct ts_events *events)
{
	uint32_t nr, attr_bytes, nr_ids;
	const uint8_t *attr, *ids;
	const char *name;

	if (!ts_cursor_u32(&at, &nr) || !ts_cursor_u32(&at, &attr_bytes) || nr != events->nr)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		const struct ts_event *ev = &events->items[i];

		if (!ts_cursor_bytes(&at, attr_bytes, &attr) || !ts_cursor_u32(&at, &nr_ids) ||
		    !ts_cursor_string(&at, &name) || !ts_cursor_bytes(&at, 8ull * nr_ids, &ids) ||
		    !is_attr_of(ev, attr, attr_bytes) || nr_ids != ev->nr_ids ||
		    (nr_ids && memcmp(ids, ev->ids, 8ull * nr_ids) != 0))
			return false;
	}
	return true;
}

enum ts_section_form ts_section_form(unsigned int bit, struct ts_cursor c,
				     const struct ts_events *events)
{
	if (!is_well_formed(bit, c))
		return TS_SECTION_MALFORMED;
	return bit == TS_FEAT_EVENT_DESC && !repeats_events(c, events) ? TS_SECTION_OTHER_EVENTS
								       : TS_SECTION_SOUND;
}
