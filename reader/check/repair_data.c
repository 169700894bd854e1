// SPDX-License-Identifier: Apache-2.0
/*
 * Writes the new file `data`: ids, the event entries of the old one, records, features.
 *
 * Event entries are copied, so attrs of a newer kernel stay as they are.
 */
#include <errno.h>
#include <string.h>

#include "reader/check/repair.h"

static bool has_compressed_chunks(const struct chunk_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].flags & CHUNK_COMPRESSED)
			return true;
	return false;
}

static void choose_features(const struct check *c, struct ts_feature_set *set)
{
	const struct ts_header *h = &c->capture.header;

	for (unsigned int bit = 1; bit < TS_PERF_FEATURE_BITS; bit++) {
		if (bit == TS_FEAT_DIR_FORMAT || bit == TS_FEAT_COMPRESSED ||
		    !ts_header_feature_is_sound(h, bit))
			continue;
		ts_bytes_put(ts_header_feature(set, (enum ts_feature)bit), h->features[bit].data,
			     h->features[bit].size);
	}
	ts_bytes_u64(ts_header_feature(set, TS_FEAT_DIR_FORMAT), 1);
	if (has_compressed_chunks(&c->table))
		ts_header_put_compressed(ts_header_feature(set, TS_FEAT_COMPRESSED));
}

/*
 * Entries of a file are copied unchanged; a pipe has no entries, and its attrs may differ in size.
 */
static uint64_t entry_bytes(const struct capture *c, const struct ts_file_header *old)
{
	const uint64_t behind = sizeof(struct ts_file_section);

	return c->header.is_pipe ? TS_ATTR_SIZE + behind : old->attr_size;
}

static void put_attr(const struct capture *c, const struct ts_file_header *old, size_t i,
		     uint64_t bytes, struct ts_bytes *out)
{
	struct perf_event_attr attr = c->header.events.items[i].attr;

	if (!c->header.is_pipe) {
		ts_bytes_put(out, c->streams[0].map.data + old->attrs.offset + i * old->attr_size,
			     bytes);
		return;
	}
	attr.size = (uint32_t)bytes;
	ts_bytes_put(out, &attr, bytes);
}

static void put_events(const struct capture *c, struct ts_file_header *h, struct ts_bytes *out)
{
	const struct ts_events *events = &c->header.events;
	struct ts_file_header old = {0};
	uint64_t ids_at = out->len;

	memcpy(&old, c->streams[0].map.data,
	       c->header.is_pipe ? TS_PIPE_HEADER_BYTES : offsetof(struct ts_file_header, data));
	h->magic = old.magic;
	h->size = sizeof(*h);
	h->attr_size = entry_bytes(c, &old);
	for (size_t i = 0; i < events->nr; i++)
		ts_bytes_put(out, events->items[i].ids, 8 * events->items[i].nr_ids);
	h->attrs = (struct ts_file_section){out->len, events->nr * h->attr_size};
	for (size_t i = 0; i < events->nr; i++) {
		put_attr(c, &old, i, h->attr_size - sizeof(struct ts_file_section), out);
		ts_bytes_u64(out, ids_at);
		ts_bytes_u64(out, 8 * events->items[i].nr_ids);
		ids_at += 8 * events->items[i].nr_ids;
	}
	ts_bytes_align(out, 8);
}

/* Without records the size would be zero, which means an unfinished file. */
static void put_records(const struct ts_bytes *records, struct ts_file_header *h,
			struct ts_bytes *out)
{
	struct perf_event_header filler = {.type = TS_RECORD_EVENT_TYPE, .size = 80};

	h->data.offset = out->len;
	ts_bytes_put(out, records->data, records->len);
	if (!records->len) {
		ts_bytes_put(out, &filler, sizeof(filler));
		ts_bytes_zero(out, filler.size - sizeof(filler));
	}
	h->data.size = out->len - h->data.offset;
}

static void put_features(const struct ts_feature_set *set, struct ts_file_header *h,
			 struct ts_bytes *out)
{
	size_t table = out->len;

	for (size_t bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		if (!set->present[bit])
			continue;
		h->features[bit / 64] |= 1ull << bit % 64;
		ts_bytes_zero(out, sizeof(struct ts_file_section));
	}
	for (size_t bit = 0; bit < TS_PERF_FEATURE_BITS; bit++) {
		struct ts_file_section s = {out->len, set->payload[bit].len};

		if (!set->present[bit])
			continue;
		out->failed |= set->payload[bit].failed;
		ts_bytes_put(out, set->payload[bit].data, set->payload[bit].len);
		ts_bytes_align(out, 8);
		if (ts_bytes_failed(out))
			return;
		memcpy(out->data + table, &s, sizeof(s));
		table += sizeof(s);
	}
}

int repair_data(struct repair *r, struct ts_error *err)
{
	struct ts_feature_set set = {0};
	struct ts_file_header h = {0};
	struct ts_bytes file = {0};
	int rc;

	choose_features(r->check, &set);
	ts_bytes_zero(&file, sizeof(h));
	put_events(&r->check->capture, &h, &file);
	put_records(&r->records, &h, &file);
	put_features(&set, &h, &file);
	if (ts_bytes_failed(&file) || ts_bytes_failed(&r->records)) {
		rc = ts_error_sys(err, ENOMEM, "cannot repair %s", r->check->capture.path);
	} else {
		memcpy(file.data, &h, sizeof(h));
		rc = ts_dir_replace(&r->dir, TS_DIR_DATA, file.data, file.len, err);
	}
	ts_bytes_release(&file);
	ts_feature_set_release(&set);
	return rc;
}
