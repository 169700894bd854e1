// SPDX-License-Identifier: Apache-2.0
/*
 * The structure of one of our streams: the headers of its chunks, and the bytes between chunks.
 *
 *	| header payload | header payload | padding | header payload | index | padding | footer |
 *	  chunks of the table                ^ gaps: whole records that must be one of these
 *
 * Places that the chunk table has reported as damage are skipped.
 */
#include <string.h>

#include "common/stream/stream_index.h"
#include "reader/check/check.h"

struct structure { /* the stream that is being checked */
	struct check *c;
	struct check_stream *sums;
	uint32_t stream;
	const uint8_t *base;
	uint64_t end;
	size_t first, nr;  /* its chunks in the table */
	size_t nr_seen;	   /* those before the current place */
	size_t nr_indexed; /* those that an index record has named */
	uint64_t last_index;
	bool has_uuid, is_past_footer;
	bool is_disturbed; /* the stream is damaged: wrong sums would only repeat that */
	uint8_t uuid[16];
	uint64_t next_seq;
};

static void add_stream_finding(const struct structure *s, uint64_t offset, uint64_t bytes,
			       const char *reason)
{
	findings_add(&s->c->findings, s->stream, offset, bytes, "%s", reason);
}

/* The end of the known damage at this place, or 0. */
static uint64_t known_damage(const struct structure *s, uint64_t offset)
{
	const struct damage *d = &s->c->table.damage;

	for (size_t i = 0; i < damage_kept(d); i++)
		if (d->items[i].stream == s->stream && d->items[i].offset <= offset &&
		    offset - d->items[i].offset < d->items[i].bytes)
			return d->items[i].offset + d->items[i].bytes;
	return 0;
}

static void check_uuid(struct structure *s, const uint8_t uuid[16], uint64_t offset)
{
	if (!s->has_uuid)
		memcpy(s->uuid, uuid, sizeof(s->uuid));
	s->has_uuid = true;
	if (memcmp(s->uuid, uuid, sizeof(s->uuid)) != 0)
		add_stream_finding(s, offset, 0,
				   "it belongs to another recording than what is before it");
}

/* --- chunk headers --- */

static bool is_same(const struct ts_chunk *a, const struct chunk *b)
{
	uint64_t min = a->time_max_ns ? a->time_min_ns : UINT64_MAX;
	bool is_timed_alike = min == b->time_min_ns && a->time_max_ns == b->time_max_ns;

	/* times are not compared if records are lengthened: check_chunk.c reports that */
	return a->nr_records == b->nr_records && a->raw_bytes == b->raw_bytes &&
	       (is_timed_alike || b->flags & CHUNK_LENGTHENED) && a->lost == b->lost &&
	       a->lost_cause == b->lost_cause && a->ring == b->ring && a->cpu == b->cpu &&
	       !(a->flags & TS_CHUNK_COMPRESSED) == !(b->flags & CHUNK_COMPRESSED);
}

static void take_chunk(struct structure *s, const struct chunk *chunk)
{
	uint64_t offset = chunk->offset - chunk->header_bytes;
	struct ts_chunk h;

	s->sums->nr_chunks++;
	s->sums->nr_records += chunk->nr_records;
	s->sums->raw_bytes += chunk->raw_bytes;
	s->sums->nr_unfinished += !!(chunk->flags & CHUNK_TORN);
	s->nr_seen++;
	if (ts_chunk_parse(s->base + offset, s->end - offset, offset, &h) != TS_FOUND_OK) {
		s->is_disturbed = true; /* loading it reports the damage */
		return;
	}
	check_uuid(s, h.uuid, offset);
	if (h.payload_bytes == chunk->bytes && !is_same(&h, chunk))
		add_stream_finding(s, offset, 0,
				   "the chunk header does not say what the index says");
	if (h.seq < s->next_seq)
		add_stream_finding(s, offset, 0, "the chunk has a number that was there before");
	else if (h.seq > s->next_seq && !s->is_disturbed)
		findings_add(&s->c->findings, s->stream, offset, 0,
			     "%llu chunks are missing in front of this one",
			     (unsigned long long)(h.seq - s->next_seq));
	s->next_seq = h.seq + 1;
}

/* --- index and footer --- */

static const struct chunk *chunk_at(const struct structure *s, uint64_t header_offset)
{
	const struct chunk *chunks = s->c->table.chunks + s->first;
	size_t from = 0, to = s->nr;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		uint64_t at = chunks[middle].offset - chunks[middle].header_bytes;

		if (at == header_offset)
			return &chunks[middle];
		if (at < header_offset)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static void check_entry(struct structure *s, const struct ts_index *ix, uint32_t i)
{
	const struct chunk *chunk;
	struct ts_chunk entry;

	if (!ts_index_chunk(ix, i, &entry)) {
		add_stream_finding(s, ix->offset, 0, "an entry of the index is impossible");
		return;
	}
	chunk = chunk_at(s, entry.offset);
	if (!chunk) {
		if (!known_damage(s, entry.offset))
			add_stream_finding(s, ix->offset, 0,
					   "the index names a chunk that is not there");
		return;
	}
	s->nr_indexed++;
	if (entry.payload_bytes != chunk->bytes || !is_same(&entry, chunk))
		add_stream_finding(s, ix->offset, 0, "the index says of a chunk what is not so");
}

static void take_index(struct structure *s, uint64_t offset, uint64_t bytes)
{
	struct ts_index ix;
	enum ts_found found = ts_index_parse(s->base + offset, s->end - offset, offset, &ix);

	if (found == TS_FOUND_NEWER)
		return;
	if (found != TS_FOUND_OK) {
		add_stream_finding(s, offset, bytes, "the index record is damaged");
		s->is_disturbed = true;
		s->nr_indexed = s->nr_seen;
		s->last_index = offset;
		return;
	}
	check_uuid(s, ix.uuid, offset);
	if (ix.prev_offset != s->last_index && !s->is_disturbed)
		add_stream_finding(s, offset, 0,
				   "the index record does not point to the one before it");
	for (uint32_t i = 0; i < ix.nr; i++)
		check_entry(s, &ix, i);
	if (s->nr_indexed != s->nr_seen && !s->is_disturbed)
		add_stream_finding(s, offset, 0,
				   "the index names other chunks than those in front of it");
	s->nr_indexed = s->nr_seen;
	s->last_index = offset;
}

static void take_footer(struct structure *s, uint64_t offset, uint64_t bytes)
{
	const struct check_stream *sums = s->sums;
	struct ts_footer f;
	enum ts_found found = ts_footer_parse(s->base + offset, s->end - offset, offset, &f);

	if (found == TS_FOUND_NEWER)
		return;
	if (found != TS_FOUND_OK) {
		add_stream_finding(s, offset, bytes, "the footer is damaged");
		return;
	}
	check_uuid(s, f.uuid, offset);
	s->sums->has_footer = true;
	s->is_past_footer = true;
	if (s->is_disturbed)
		return;
	if (f.index_offset != s->last_index)
		add_stream_finding(s, offset, 0,
				   "the footer does not point to the last index record");
	if (f.nr_chunks != sums->nr_chunks || f.nr_records != sums->nr_records ||
	    f.raw_bytes != sums->raw_bytes)
		add_stream_finding(s, offset, 0,
				   "the footer counts other chunks or records than are there");
}

/* --- gaps --- */

static void check_padding(const struct structure *s, uint64_t offset, uint64_t bytes)
{
	if (ts_record_load_header(s->base + offset).misc)
		add_stream_finding(s, offset, 0, "padding has a header that it never has");
	for (uint64_t at = offset + 16; at < offset + bytes; at++) {
		if (!s->base[at])
			continue;
		add_stream_finding(s, at, 0, "padding is not zero");
		return;
	}
}

static void take_record(struct structure *s, uint64_t at, uint64_t bytes)
{
	if (s->is_past_footer)
		add_stream_finding(s, at, bytes, "something follows the footer");
	switch (ts_own_record((const void *)(s->base + at))) {
	case TS_OWN_PADDING:
		check_padding(s, at, bytes);
		break;
	case TS_OWN_INDEX:
		take_index(s, at, bytes);
		break;
	case TS_OWN_FOOTER:
		take_footer(s, at, bytes);
		break;
	case TS_OWN_COVER:
		s->sums->nr_unfinished++;
		break;
	case TS_OWN_CHUNK:
		add_stream_finding(s, at, bytes, "the index does not name this chunk");
		break;
	default:
		add_stream_finding(s, at, bytes, "a record outside of any chunk");
		s->is_disturbed = true;
	}
}

/* Checks the records between the end of a chunk and the next header. */
static void take_gap(struct structure *s, uint64_t at, uint64_t to)
{
	struct perf_event_header hdr;
	uint64_t damage_end;

	while (at < to) {
		damage_end = known_damage(s, at);
		if (damage_end) {
			at = damage_end;
			s->is_disturbed = true;
			continue;
		}
		if (to - at < sizeof(hdr))
			hdr = (struct perf_event_header){0};
		else
			hdr = ts_record_load_header(s->base + at);
		if (hdr.size < sizeof(hdr) || hdr.size > to - at) {
			add_stream_finding(s, at, to - at, "no record begins here");
			s->is_disturbed = true;
			return;
		}
		take_record(s, at, hdr.size);
		at += hdr.size;
	}
}

void check_structure(struct check *c, uint32_t stream)
{
	const struct capture_stream *file = &c->capture.streams[stream];
	struct structure s = {
		.c = c,
		.sums = &c->streams[stream],
		.stream = stream,
		.base = file->map.data,
		.end = file->end,
		.first = chunk_table_find(&c->table, stream, 0),
		.last_index = TS_NO_OFFSET,
	};
	uint64_t at = file->begin;

	s.nr = chunk_table_find(&c->table, stream + 1, 0) - s.first;
	for (size_t i = 0; i < s.nr; i++) {
		const struct chunk *chunk = &c->table.chunks[s.first + i];
		uint64_t header = chunk->offset - chunk->header_bytes;

		if (header < at) {
			add_stream_finding(&s, header, 0,
					   "a chunk begins inside of the one before it");
			continue;
		}
		take_gap(&s, at, header);
		take_chunk(&s, chunk);
		at = chunk->offset + chunk->bytes;
	}
	take_gap(&s, at, s.end);
	if (s.sums->has_footer && s.sums->nr_unfinished)
		add_stream_finding(&s, 0, 0,
				   "the stream was ended, but has parts that were never finished");
}
