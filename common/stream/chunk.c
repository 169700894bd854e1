// SPDX-License-Identifier: Apache-2.0
#include "common/stream/chunk.h"

#include <assert.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/stream/checksum.h"
#include "common/perf/perf_layout.h"
#include "common/stream/stream_disk.h"

#include <xxhash.h>

/* The chunk header as it is in the file: docs/format.md, "Chunk header". */
struct disk_chunk {
	struct ts_disk_head head; /* .word: flags, .number: ring */
	uint64_t seq;
	uint64_t payload_bytes;
	uint64_t raw_bytes;
	uint64_t nr_records;
	uint64_t time_min_ns, time_max_ns;
	uint64_t span_min_ns, span_max_ns;
	uint64_t lost;
	uint64_t checksum;
	uint32_t cpu;
	uint16_t kind;
	uint16_t lost_cause;
};
static_assert(sizeof(struct disk_chunk) == TS_CHUNK_HEADER_BYTES, "chunk header");
static_assert(offsetof(struct disk_chunk, seq) == 64, "chunk header");
static_assert(offsetof(struct disk_chunk, checksum) == 136, "chunk header");

const char *ts_loss_cause_name(enum ts_loss_cause cause)
{
	static const char *const names[TS_LOSS_NR] = {
		[TS_LOSS_NONE] = "kept",
		[TS_LOSS_RING_FULL] = "ring_full",
		[TS_LOSS_PAUSED] = "paused",
		[TS_LOSS_DISK] = "disk",
		[TS_LOSS_COMPRESSION] = "compression",
		[TS_LOSS_HARDWARE] = "hardware",
	};

	return cause < TS_LOSS_NR && names[cause] ? names[cause] : "unknown";
}

/* The checksum of one of our records; the field of the checksum counts as zero. */
static uint64_t head_checksum(const uint8_t *at, size_t len)
{
	static const uint64_t zero;
	const size_t field = offsetof(struct ts_disk_head, checksum);
	const size_t after = field + sizeof(zero);
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, at, field);
	XXH3_64bits_update(&state, &zero, sizeof(zero));
	XXH3_64bits_update(&state, at + after, len - after);
	return XXH3_64bits_digest(&state);
}

void ts_disk_head_seal(void *at, uint64_t magic, uint16_t bytes)
{
	struct ts_disk_head *head = at;

	head->hdr = (struct perf_event_header){.type = TS_RECORD_EVENT_TYPE, .size = bytes};
	head->magic = magic;
	head->major = TS_FORMAT_MAJOR;
	head->minor = TS_FORMAT_MINOR;
	head->checksum = 0;
	head->checksum = ts_checksum(at, bytes);
}

enum ts_found ts_disk_head_open(const void *at, size_t left, uint64_t offset, uint64_t magic,
				void *ret, size_t bytes)
{
	struct ts_disk_head head;

	if (left < sizeof(head))
		return TS_FOUND_NOTHING;
	memcpy(&head, at, sizeof(head));
	if (head.hdr.type != TS_RECORD_EVENT_TYPE || head.hdr.misc == TS_MISC_COVER ||
	    head.magic != magic)
		return TS_FOUND_NOTHING;
	if (head.hdr.size < sizeof(head) || head.hdr.size % 8 || head.hdr.size > left ||
	    head_checksum(at, head.hdr.size) != head.checksum)
		return TS_FOUND_DAMAGED;
	if (head.major > TS_FORMAT_MAJOR)
		return TS_FOUND_NEWER;
	if (head.major < 1 || head.hdr.size < bytes || head.offset != offset)
		return TS_FOUND_DAMAGED;
	memcpy(ret, at, bytes);
	return TS_FOUND_OK;
}

void ts_chunk_pack(const struct ts_chunk *c, void *at)
{
	struct disk_chunk *d = at;

	assert((uintptr_t)at % 8 == 0);
	*d = (struct disk_chunk){
		.head = {.word = c->flags, .number = c->ring, .cut = c->cut, .offset = c->offset},
		.seq = c->seq,
		.payload_bytes = c->payload_bytes,
		.raw_bytes = c->raw_bytes,
		.nr_records = c->nr_records,
		.time_min_ns = c->time_min_ns,
		.time_max_ns = c->time_max_ns,
		.span_min_ns = c->span_min_ns,
		.span_max_ns = c->span_max_ns,
		.lost = c->lost,
		.checksum = c->checksum,
		.cpu = c->cpu,
		.kind = (uint16_t)c->kind,
		.lost_cause = (uint16_t)c->lost_cause,
	};
	memcpy(d->head.uuid, c->uuid, sizeof(d->head.uuid));
	ts_disk_head_seal(d, TS_MAGIC_CHUNK, sizeof(*d));
}

/* The header is as it was written; now its values must be possible. */
static bool is_possible(const struct disk_chunk *d)
{
	return d->payload_bytes && d->payload_bytes % 8 == 0 && d->raw_bytes % 8 == 0 &&
	       d->nr_records <= d->raw_bytes / 8 &&
	       d->payload_bytes <= UINT64_MAX - d->head.offset - d->head.hdr.size;
}

enum ts_found ts_chunk_parse(const void *at, size_t left, uint64_t offset, struct ts_chunk *ret)
{
	struct disk_chunk d;
	enum ts_found found = ts_disk_head_open(at, left, offset, TS_MAGIC_CHUNK, &d, sizeof(d));

	if (found != TS_FOUND_OK)
		return found;
	if (!is_possible(&d))
		return TS_FOUND_DAMAGED;
	*ret = (struct ts_chunk){
		.cut = d.head.cut,
		.ring = d.head.number,
		.cpu = d.cpu,
		.kind = d.kind,
		.flags = d.head.word,
		.header_bytes = d.head.hdr.size,
		.offset = d.head.offset,
		.seq = d.seq,
		.payload_bytes = d.payload_bytes,
		.raw_bytes = d.raw_bytes,
		.nr_records = d.nr_records,
		.time_min_ns = d.time_min_ns,
		.time_max_ns = d.time_max_ns,
		.span_min_ns = d.span_min_ns,
		.span_max_ns = d.span_max_ns,
		.lost = d.lost,
		.lost_cause = d.lost_cause,
		.checksum = d.checksum,
	};
	memcpy(ret->uuid, d.head.uuid, sizeof(ret->uuid));
	return TS_FOUND_OK;
}

uint64_t ts_chunk_next_magic(const void *base, uint64_t len, uint64_t from)
{
	const uint64_t magic = TS_MAGIC_CHUNK;
	const uint8_t *bytes = base;

	while (from < len) {
		const uint8_t *hit = memmem(bytes + from, len - from, &magic, sizeof(magic));
		uint64_t at;
		struct ts_chunk c;

		if (!hit)
			break;
		at = (uint64_t)(hit - bytes) - offsetof(struct ts_disk_head, magic);
		if (hit - bytes >= (ptrdiff_t)(from + offsetof(struct ts_disk_head, magic)) &&
		    at % 8 == 0 && ts_chunk_parse(bytes + at, len - at, at, &c) == TS_FOUND_OK)
			return at;
		from = (uint64_t)(hit - bytes) + 1;
	}
	return TS_NO_OFFSET;
}

size_t ts_chunk_whole_bytes(const void *payload, size_t len, bool *ret_covered)
{
	const uint8_t *bytes = payload;
	struct perf_event_header hdr;
	size_t at = 0;

	*ret_covered = false;
	while (len - at >= sizeof(hdr)) {
		memcpy(&hdr, bytes + at, sizeof(hdr));
		*ret_covered = hdr.type == TS_RECORD_EVENT_TYPE && hdr.misc == TS_MISC_COVER;
		if (*ret_covered || hdr.size < sizeof(hdr) || hdr.size > len - at)
			break;
		at += hdr.size;
	}
	return at;
}

enum ts_own_record ts_own_record(const struct perf_event_header *hdr)
{
	struct ts_disk_head head;

	memcpy(&head.hdr, hdr, sizeof(head.hdr)); /* it may be misaligned */
	if (head.hdr.type != TS_RECORD_EVENT_TYPE)
		return TS_OWN_NONE;
	if (head.hdr.misc == TS_MISC_COVER)
		return TS_OWN_COVER;
	if (head.hdr.size < offsetof(struct ts_disk_head, magic) + sizeof(head.magic))
		return TS_OWN_NONE;
	memcpy(&head.magic, (const uint8_t *)hdr + offsetof(struct ts_disk_head, magic),
	       sizeof(head.magic));
	switch (head.magic) {
	case TS_MAGIC_CHUNK:
		return TS_OWN_CHUNK;
	case TS_MAGIC_PADDING:
		return TS_OWN_PADDING;
	case TS_MAGIC_INDEX:
		return TS_OWN_INDEX;
	case TS_MAGIC_FOOTER:
		return TS_OWN_FOOTER;
	default:
		return TS_OWN_NONE;
	}
}

void ts_chunk_filler(void *at, size_t bytes)
{
	const uint64_t magic = TS_MAGIC_PADDING;
	uint8_t *to = at;

	assert(bytes % 8 == 0 && (bytes == 0 || bytes >= TS_FILLER_MIN_BYTES));
	while (bytes) {
		size_t size = ts_min(bytes, TS_RECORD_MAX_BYTES);
		struct perf_event_header hdr = {.type = TS_RECORD_EVENT_TYPE};

		if (bytes > size && bytes - size < TS_FILLER_MIN_BYTES)
			size -= TS_FILLER_MIN_BYTES; /* leaves enough for the last record */
		hdr.size = (uint16_t)size;
		memset(to, 0, size);
		memcpy(to, &hdr, sizeof(hdr));
		memcpy(to + offsetof(struct ts_disk_head, magic), &magic, sizeof(magic));
		to += size;
		bytes -= size;
	}
}
