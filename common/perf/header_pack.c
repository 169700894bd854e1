// SPDX-License-Identifier: Apache-2.0
/*
 * The file, as packed:
 *
 *	0    file header, 104 bytes
 *	104  ids of all events, u64 each, event after event
 *	     attr entries: attr (TS_ATTR_SIZE bytes), offset and size of its ids
 *	     records                                     <- data.offset
 *	     feature table, {offset, size} a set bit     <- data.offset + data.size (no gap)
 *	     feature payloads
 */
#include "common/perf/header.h"

#include <errno.h>
#include <string.h>

#include "common/perf/inflate.h"

#define STRING_PAD 64 /* perf rounds the length of strings up to this */

void ts_feature_set_release(struct ts_feature_set *set)
{
	for (size_t bit = 0; bit < TS_PERF_FEATURE_BITS; bit++)
		ts_bytes_release(&set->payload[bit]);
	memset(set->present, 0, sizeof(set->present));
}

struct ts_bytes *ts_header_feature(struct ts_feature_set *set, enum ts_feature bit)
{
	set->present[bit] = true;
	return &set->payload[bit];
}

void ts_header_put_string(struct ts_bytes *b, const char *s)
{
	size_t len = strlen(s) + 1;
	size_t padded = (len + STRING_PAD - 1) / STRING_PAD * STRING_PAD;

	ts_bytes_u32(b, (uint32_t)padded);
	ts_bytes_put(b, s, len);
	ts_bytes_zero(b, padded - len);
}

/* Version, type (zstd), level, ratio, and the most bytes that one record expands to. */
void ts_header_put_compressed(struct ts_bytes *b)
{
	ts_bytes_u32(b, 0);
	ts_bytes_u32(b, 1);
	ts_bytes_u32(b, 1);
	ts_bytes_u32(b, 1);
	ts_bytes_u32(b, TS_COMPRESS_MMAP_LEN);
}

void ts_header_put_build_id(struct ts_bytes *b, uint16_t cpumode, const struct ts_build_id *id,
			    const char *name)
{
	enum { NAME_OFFSET = 36, NAME_PAD = 64, MISC_HAS_SIZE = 0x8000 };
	size_t padded = (strlen(name) + 1 + NAME_PAD - 1) / NAME_PAD * NAME_PAD;
	struct perf_event_header header = {.type = 0, /* a section of these alone */
					   .misc = cpumode | MISC_HAS_SIZE,
					   .size = (uint16_t)(NAME_OFFSET + padded)};

	ts_bytes_put(b, &header, sizeof(header));
	ts_bytes_u32(b, UINT32_MAX); /* pid -1: of the host */
	ts_bytes_put(b, id->bytes, sizeof(id->bytes));
	ts_bytes_u32(b, id->len); /* one byte of size, three of zeros */
	ts_bytes_put(b, name, strlen(name));
	ts_bytes_zero(b, padded - strlen(name));
}

static void put_attr(struct ts_bytes *b, const struct perf_event_attr *attr)
{
	struct perf_event_attr on_file = *attr;

	on_file.size = TS_ATTR_SIZE;
	ts_bytes_put(b, &on_file, TS_ATTR_SIZE);
}

static void put_ids(struct ts_bytes *b, const struct ts_event *ev)
{
	ts_bytes_put(b, ev->ids, ev->nr_ids * sizeof(*ev->ids));
}

static void put_event_desc(struct ts_bytes *b, const struct ts_events *events)
{
	ts_bytes_u32(b, (uint32_t)events->nr);
	ts_bytes_u32(b, TS_ATTR_SIZE);
	for (size_t i = 0; i < events->nr; i++) {
		const struct ts_event *ev = &events->items[i];

		put_attr(b, &ev->attr);
		ts_bytes_u32(b, (uint32_t)ev->nr_ids);
		ts_header_put_string(b, ev->name);
		put_ids(b, ev);
	}
}

static void put_events(struct ts_bytes *out, const struct ts_events *events,
		       struct ts_file_section *ret_attrs)
{
	uint64_t ids_at = out->len;

	for (size_t i = 0; i < events->nr; i++)
		put_ids(out, &events->items[i]);
	ret_attrs->offset = out->len;
	for (size_t i = 0; i < events->nr; i++) {
		uint64_t ids_bytes = events->items[i].nr_ids * sizeof(uint64_t);

		put_attr(out, &events->items[i].attr);
		ts_bytes_u64(out, ids_at);
		ts_bytes_u64(out, ids_bytes);
		ids_at += ids_bytes;
	}
	ret_attrs->size = out->len - ret_attrs->offset;
}

static void put_records(struct ts_bytes *out, const void *records, size_t len,
			struct ts_file_section *ret_data)
{
	struct perf_event_header filler = {.type = TS_RECORD_EVENT_TYPE, .size = 80};

	ret_data->offset = out->len;
	ts_bytes_put(out, records, len);
	if (!len) {
		ts_bytes_put(out, &filler, sizeof(filler));
		ts_bytes_zero(out, filler.size - sizeof(filler));
	}
	ret_data->size = out->len - ret_data->offset;
}

/* The payload of a feature, or NULL if the file does not get that feature. */
static const struct ts_bytes *payload_of(const struct ts_feature_set *set, size_t bit,
					 const struct ts_bytes *event_desc)
{
	if (bit == TS_FEAT_EVENT_DESC)
		return event_desc;
	return set && set->present[bit] ? &set->payload[bit] : NULL;
}

static void put_features(struct ts_bytes *out, const struct ts_feature_set *set,
			 const struct ts_bytes *event_desc, uint64_t *ret_bitmap)
{
	size_t table = out->len;

	for (size_t bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		if (!payload_of(set, bit, event_desc))
			continue;
		ret_bitmap[bit / 64] |= 1ULL << bit % 64;
		ts_bytes_zero(out, sizeof(struct ts_file_section));
	}
	for (size_t bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		const struct ts_bytes *payload = payload_of(set, bit, event_desc);
		struct ts_file_section section;

		if (!payload)
			continue;
		out->failed |= payload->failed;
		section = (struct ts_file_section){out->len, payload->len};
		ts_bytes_put(out, payload->data, payload->len);
		ts_bytes_align(out, 8);
		if (ts_bytes_failed(out))
			return;
		memcpy(out->data + table, &section, sizeof(section));
		table += sizeof(section);
	}
}

int ts_header_pack(const struct ts_events *events, const void *records, size_t records_len,
		   const struct ts_feature_set *features, struct ts_bytes *out,
		   struct ts_error *err)
{
	struct ts_file_header h = {
		.magic = TS_PERF_MAGIC,
		.size = sizeof(h),
		.attr_size = TS_ATTR_SIZE + sizeof(struct ts_file_section),
	};
	struct ts_bytes event_desc = {0};

	put_event_desc(&event_desc, events);
	ts_bytes_zero(out, sizeof(h));
	put_events(out, events, &h.attrs);
	put_records(out, records, records_len, &h.data);
	put_features(out, features, &event_desc, h.features);
	ts_bytes_release(&event_desc);
	if (ts_bytes_failed(out))
		return ts_error_sys(err, ENOMEM, "cannot make the header of the capture");
	memcpy(out->data, &h, sizeof(h));
	return 0;
}
