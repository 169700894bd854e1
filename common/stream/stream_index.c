// SPDX-License-Identifier: Apache-2.0
#include "common/stream/stream_index.h"

#include <assert.h>
#include <string.h>

#include "common/stream/stream_disk.h"

/* The structures in the file: docs/format.md, "Index record" and "Footer". */
struct disk_index {
	struct ts_disk_head head; /* .word: bytes of an entry, .number: entries */
	uint64_t prev_offset;
	uint64_t first_seq;
};
static_assert(sizeof(struct disk_index) == TS_INDEX_HEAD_BYTES, "index record");

struct disk_entry {
	uint64_t offset;
	uint64_t payload_bytes;
	uint64_t raw_bytes;
	uint64_t nr_records;
	uint64_t time_min_ns, time_max_ns;
	uint64_t lost;
	uint32_t ring;
	uint32_t cpu;
	uint32_t flags;
	uint8_t kind;
	uint8_t lost_cause;
	uint16_t header_bytes;
};
static_assert(sizeof(struct disk_entry) == TS_INDEX_ENTRY_BYTES, "index entry");

struct disk_footer {
	struct ts_disk_head head;
	uint64_t index_offset;
	uint64_t nr_chunks;
	uint64_t nr_records;
	uint64_t raw_bytes;
};
static_assert(sizeof(struct disk_footer) == TS_FOOTER_BYTES, "footer");

void ts_index_pack_entry(const struct ts_chunk *c, void *at)
{
	const struct disk_entry e = {
		.offset = c->offset,
		.payload_bytes = c->payload_bytes,
		.raw_bytes = c->raw_bytes,
		.nr_records = c->nr_records,
		.time_min_ns = c->time_min_ns,
		.time_max_ns = c->time_max_ns,
		.lost = c->lost,
		.ring = c->ring,
		.cpu = c->cpu,
		.flags = c->flags,
		.kind = (uint8_t)c->kind,
		.lost_cause = (uint8_t)c->lost_cause,
		.header_bytes = TS_CHUNK_HEADER_BYTES,
	};

	memcpy(at, &e, sizeof(e));
}

size_t ts_index_pack(const struct ts_index *ix, void *at)
{
	const size_t entries_bytes = (size_t)ix->nr * TS_INDEX_ENTRY_BYTES;
	struct disk_index *d = at;

	assert(ix->nr && ix->nr <= TS_INDEX_ENTRIES && (uintptr_t)at % 8 == 0);
	*d = (struct disk_index){
		.head = {.word = TS_INDEX_ENTRY_BYTES,
			 .number = ix->nr,
			 .cut = ix->cut,
			 .offset = ix->offset},
		.prev_offset = ix->prev_offset,
		.first_seq = ix->first_seq,
	};
	memcpy(d->head.uuid, ix->uuid, sizeof(d->head.uuid));
	memcpy(d + 1, ix->entries, entries_bytes);
	ts_disk_head_seal(d, TS_MAGIC_INDEX, (uint16_t)(sizeof(*d) + entries_bytes));
	return sizeof(*d) + entries_bytes;
}

/* Checks that the entries lie inside the record, and the previous index record before it. */
static bool is_possible(const struct disk_index *d)
{
	const struct ts_disk_head *head = &d->head;
	const uint64_t entries_bytes = (uint64_t)head->word * head->number;

	return head->number && head->word >= TS_INDEX_ENTRY_BYTES && head->word % 8 == 0 &&
	       entries_bytes <= (uint64_t)head->hdr.size - sizeof(*d) &&
	       (d->prev_offset == TS_NO_OFFSET ||
		(d->prev_offset < head->offset && d->prev_offset % 8 == 0)) &&
	       d->first_seq <= UINT64_MAX - head->number;
}

enum ts_found ts_index_parse(const void *at, size_t left, uint64_t offset, struct ts_index *ret)
{
	struct disk_index d;
	enum ts_found found = ts_disk_head_open(at, left, offset, TS_MAGIC_INDEX, &d, sizeof(d));

	if (found != TS_FOUND_OK)
		return found;
	if (!is_possible(&d))
		return TS_FOUND_DAMAGED;
	*ret = (struct ts_index){
		.cut = d.head.cut,
		.nr = d.head.number,
		.entry_bytes = d.head.word,
		.record_bytes = d.head.hdr.size,
		.offset = d.head.offset,
		.prev_offset = d.prev_offset,
		.first_seq = d.first_seq,
		.entries = (const uint8_t *)at + sizeof(d),
	};
	memcpy(ret->uuid, d.head.uuid, sizeof(ret->uuid));
	return TS_FOUND_OK;
}

static bool entry_is_possible(const struct disk_entry *e, uint64_t index_offset)
{
	return e->offset % 8 == 0 && e->header_bytes >= TS_CHUNK_HEADER_BYTES &&
	       e->header_bytes % 8 == 0 && e->payload_bytes && e->payload_bytes % 8 == 0 &&
	       e->raw_bytes % 8 == 0 && e->nr_records <= e->raw_bytes / 8 &&
	       e->offset < index_offset && e->payload_bytes < index_offset &&
	       e->offset + e->header_bytes <= index_offset - e->payload_bytes;
}

bool ts_index_chunk(const struct ts_index *ix, uint32_t i, struct ts_chunk *ret)
{
	struct disk_entry e;

	memcpy(&e, ix->entries + (size_t)i * ix->entry_bytes, sizeof(e));
	if (!entry_is_possible(&e, ix->offset))
		return false;
	*ret = (struct ts_chunk){
		.cut = ix->cut,
		.ring = e.ring,
		.cpu = e.cpu,
		.kind = e.kind,
		.flags = e.flags,
		.header_bytes = e.header_bytes,
		.offset = e.offset,
		.seq = ix->first_seq + i,
		.payload_bytes = e.payload_bytes,
		.raw_bytes = e.raw_bytes,
		.nr_records = e.nr_records,
		.time_min_ns = e.time_min_ns,
		.time_max_ns = e.time_max_ns,
		.lost = e.lost,
		.lost_cause = e.lost_cause,
	};
	memcpy(ret->uuid, ix->uuid, sizeof(ret->uuid));
	return true;
}

void ts_footer_pack(const struct ts_footer *f, void *at)
{
	struct disk_footer *d = at;

	assert((uintptr_t)at % 8 == 0);
	*d = (struct disk_footer){
		.head = {.cut = f->cut, .offset = f->offset},
		.index_offset = f->index_offset,
		.nr_chunks = f->nr_chunks,
		.nr_records = f->nr_records,
		.raw_bytes = f->raw_bytes,
	};
	memcpy(d->head.uuid, f->uuid, sizeof(d->head.uuid));
	ts_disk_head_seal(d, TS_MAGIC_FOOTER, sizeof(*d));
}

enum ts_found ts_footer_parse(const void *at, size_t left, uint64_t offset, struct ts_footer *ret)
{
	struct disk_footer d;
	enum ts_found found = ts_disk_head_open(at, left, offset, TS_MAGIC_FOOTER, &d, sizeof(d));

	if (found != TS_FOUND_OK)
		return found;
	if (d.index_offset != TS_NO_OFFSET &&
	    (d.index_offset >= d.head.offset || d.index_offset % 8))
		return TS_FOUND_DAMAGED;
	*ret = (struct ts_footer){
		.cut = d.head.cut,
		.offset = d.head.offset,
		.index_offset = d.index_offset,
		.nr_chunks = d.nr_chunks,
		.nr_records = d.nr_records,
		.raw_bytes = d.raw_bytes,
	};
	memcpy(ret->uuid, d.head.uuid, sizeof(ret->uuid));
	return TS_FOUND_OK;
}

enum ts_found ts_footer_last(const void *base, uint64_t len, struct ts_footer *ret)
{
	const uint64_t at = len - TS_FOOTER_BYTES;

	if (len < TS_FOOTER_BYTES || at % 8)
		return TS_FOUND_NOTHING;
	return ts_footer_parse((const uint8_t *)base + at, TS_FOOTER_BYTES, at, ret);
}

static enum ts_found by_footer(const uint8_t *bytes, uint64_t len, struct ts_index *ret)
{
	struct ts_footer f;
	enum ts_found found = ts_footer_last(bytes, len, &f);

	if (found != TS_FOUND_OK)
		return found;
	if (f.index_offset == TS_NO_OFFSET)
		return TS_FOUND_NOTHING;
	return ts_index_parse(bytes + f.index_offset, len - f.index_offset, f.index_offset, ret);
}

/* Records, and with them the magic, begin at multiples of 8. */
static enum ts_found by_search(const uint8_t *bytes, uint64_t len, uint64_t reach,
			       struct ts_index *ret)
{
	const uint64_t end = len < reach ? 0 : len - reach;
	uint64_t at;

	if (len < TS_INDEX_HEAD_BYTES)
		return TS_FOUND_NOTHING;
	for (at = (len - TS_INDEX_HEAD_BYTES) & ~7ULL;; at -= 8) {
		enum ts_found found = ts_index_parse(bytes + at, len - at, at, ret);

		if (found == TS_FOUND_OK || found == TS_FOUND_NEWER)
			return found;
		if (at < end + 8)
			return TS_FOUND_NOTHING;
	}
}

enum ts_found ts_index_last(const void *base, uint64_t len, uint64_t reach, struct ts_index *ret)
{
	enum ts_found found = by_footer(base, len, ret);

	if (found == TS_FOUND_OK || found == TS_FOUND_NEWER)
		return found;
	return by_search(base, len, reach, ret);
}
