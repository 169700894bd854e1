// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/stream_walk.h"

#include "common/base/min_max.h"
#include "common/stream/chunk.h"

#define BLOCK_BYTES_MAX (4u << 20) /* no recorder writes larger blocks */

bool stream_walk_is_ours(const struct capture_stream *stream)
{
	const uint8_t *at = stream->map.data + stream->begin;
	uint64_t left = stream->end - stream->begin;
	struct perf_event_header hdr;

	if (left < TS_FILLER_MIN_BYTES)
		return false;
	hdr = ts_record_load_header(at);
	if (hdr.size <= left && hdr.size >= 16 && ts_own_record((const void *)at) != TS_OWN_NONE)
		return true;
	/*
	 * The beginning may be damaged. Headers and footers contain their own place, so a copy does
	 * not count.
	 */
	if (index_walk_has_footer(stream))
		return true;
	return ts_chunk_next_magic(stream->map.data,
				   ts_min(stream->end, stream->begin + BLOCK_BYTES_MAX),
				   stream->begin) != TS_NO_OFFSET;
}

/* Are records between payloads counted, too? No selection contains them. */
static bool counts_headers(const struct stream_walk *w)
{
	return w->counts && w->counts->is_full && !w->counts->selection;
}

/* --- the index --- */

/*
 * A stream has an index record behind every TS_INDEX_ENTRIES chunks. If the first chunks have none,
 * a search would go through payloads in vain.
 */
static bool may_have_index(struct stream_walk *w)
{
	struct chunk_damage damage;
	struct stream_walk probe = *w;
	enum range_scan_found found = RANGE_SCAN_CHUNK;
	struct chunk chunk;

	for (unsigned int i = 0; i <= TS_INDEX_ENTRIES && found == RANGE_SCAN_CHUNK; i++)
		found = stream_walk_next(&probe, &chunk, &damage);
	w->nr_read = probe.nr_read; /* which began with what had been read */
	return probe.has_passed_index || found == RANGE_SCAN_DAMAGE;
}

static bool open_index(struct stream_walk *w, bool is_sparse)
{
	bool is_open;

	w->nr_read += TS_FOOTER_BYTES;
	if (is_sparse && !index_walk_has_footer(w->stream) && !may_have_index(w))
		return false;
	is_open = index_walk_open(&w->index, w->stream, is_sparse);
	w->nr_read += w->index.nr_read;
	return is_open;
}

static void begin_with_index(struct stream_walk *w, bool is_sparse)
{
	w->is_indexed = open_index(w, is_sparse);
	if (w->is_indexed)
		w->at = index_walk_end(&w->index);
}

void stream_walk_release(struct stream_walk *w)
{
	index_walk_release(&w->index);
}

void stream_walk_init(struct stream_walk *w, const struct capture *c, uint32_t stream,
		      bool is_sparse, struct chunk_counts *counts)
{
	*w = (struct stream_walk){
		.stream = &c->streams[stream],
		.stream_index = stream,
		.at = c->streams[stream].begin,
		.is_running = c->is_running,
		.counts = counts,
	};
	if (!counts_headers(w))
		begin_with_index(w, is_sparse);
}

void stream_walk_resume(struct stream_walk *w, const struct capture *c, uint32_t stream,
			uint64_t at)
{
	*w = (struct stream_walk){
		.stream = &c->streams[stream],
		.stream_index = stream,
		.at = at,
		.is_running = c->is_running,
	};
}

/* --- chunks --- */

static uint32_t chunk_kind(const struct ts_chunk *c)
{
	uint32_t flags = CHUNK_SIDEBAND;

	flags |= c->kind == TS_RING_SIDEBAND ? CHUNK_TASKS : CHUNK_SAMPLES;
	if (c->flags & TS_CHUNK_COMPRESSED)
		flags |= CHUNK_COMPRESSED;
	if (c->flags & TS_CHUNK_MENDED)
		flags |= CHUNK_MENDED;
	if (!c->time_max_ns)
		flags |= CHUNK_UNTIMED;
	return flags;
}

/* Are there covers from `at` up to the end of the stream? */
static bool is_covered_to_end(const struct capture_stream *stream, uint64_t at)
{
	struct perf_event_header hdr;

	while (at < stream->end && stream->end - at >= sizeof(hdr)) {
		hdr = ts_record_load_header(stream->map.data + at);
		if (hdr.type != TS_RECORD_EVENT_TYPE || hdr.misc != TS_MISC_COVER ||
		    hdr.size < sizeof(hdr))
			return false;
		at += hdr.size;
	}
	return true;
}

/*
 * A recorder that is killed while it lays its last block leaves a chunk whose payload breaks off
 * into covers. The covers need not end where the payload would have. They reach up to the end of
 * the stream, but one that is still laid changes while it is read.
 */
static bool breaks_off(const struct stream_walk *w, struct chunk *chunk)
{
	bool is_covered = false;
	size_t whole;

	if (w->stream->end - chunk->offset > BLOCK_BYTES_MAX || index_walk_has_footer(w->stream))
		return false;
	whole = ts_chunk_whole_bytes(w->stream->map.data + chunk->offset, chunk->bytes,
				     &is_covered);
	if (!is_covered || !(w->is_running || is_covered_to_end(w->stream, chunk->offset + whole)))
		return false;
	chunk->bytes = whole;
	return true;
}

static struct chunk make_chunk(const struct stream_walk *w, const struct ts_chunk *c)
{
	return (struct chunk){
		.stream = w->stream_index,
		.flags = chunk_kind(c) | CHUNK_CHECKSUM,
		.offset = c->offset + c->header_bytes,
		.header_bytes = c->header_bytes,
		.bytes = c->payload_bytes,
		.raw_bytes = c->raw_bytes,
		.nr_records = c->nr_records,
		.time_min_ns = c->time_max_ns ? c->time_min_ns : UINT64_MAX,
		.time_max_ns = c->time_max_ns,
		.checksum = c->checksum,
		.ring = c->ring,
		.cpu = c->cpu,
		.lost = c->lost,
		.lost_cause = c->lost_cause,
	};
}

static enum range_scan_found take_chunk(struct stream_walk *w, const struct ts_chunk *c,
					struct chunk *ret)
{
	uint64_t left = w->stream->end - w->at - c->header_bytes;

	*ret = make_chunk(w, c);
	if (ret->bytes > left)
		ret->flags |= CHUNK_TORN;
	ret->bytes = ts_min(ret->bytes, left);
	if (breaks_off(w, ret))
		ret->flags |= CHUNK_TORN;
	w->at = ret->offset + ret->bytes;
	return RANGE_SCAN_CHUNK;
}

static struct chunk make_indexed(const struct stream_walk *w, const struct ts_index *ix,
				 const struct ts_chunk *c)
{
	struct chunk chunk = make_chunk(w, c);

	chunk.flags |= CHUNK_INDEXED;
	chunk.checksum = ix->offset;
	return chunk;
}

/* The next chunk that the index names; RANGE_SCAN_END: no more. */
static enum range_scan_found next_indexed(struct stream_walk *w, struct chunk *ret_chunk,
					  struct chunk_damage *ret_damage)
{
	const struct ts_index *ix = NULL;
	bool is_possible;
	struct ts_chunk c;

	if (w->is_indexed)
		ix = index_walk_next(&w->index, &c, &is_possible);
	if (!ix)
		return RANGE_SCAN_END;
	if (is_possible) {
		*ret_chunk = make_indexed(w, ix, &c);
		return RANGE_SCAN_CHUNK;
	}
	*ret_damage = (struct chunk_damage){.stream = w->stream_index,
					    .offset = ix->offset,
					    .bytes = ix->entry_bytes,
					    .text = "an entry of the index is impossible"};
	return RANGE_SCAN_DAMAGE;
}

/* Takes the chunk at w->at, whose header is damaged, from the index. False: it is not there. */
static bool take_from_index(struct stream_walk *w, struct chunk *ret)
{
	const struct ts_index *ix;
	struct ts_chunk c;

	if (!w->has_sought_index && counts_headers(w))
		open_index(w, false);
	w->has_sought_index = true;
	ix = index_walk_find(&w->index, w->at, &c);
	if (!ix)
		return false;
	*ret = make_indexed(w, ix, &c);
	w->at = ret->offset + ret->bytes;
	return true;
}

/*
 * A chunk that the index names at w->at, or damage: passes to the next chunk header that verifies.
 */
static enum range_scan_found skip_damage(struct stream_walk *w, const char *what,
					 struct chunk *ret_chunk, struct chunk_damage *ret_damage)
{
	uint64_t next;

	if (take_from_index(w, ret_chunk))
		return RANGE_SCAN_CHUNK;
	next = ts_chunk_next_magic(w->stream->map.data, w->stream->end, w->at + 8);
	if (next == TS_NO_OFFSET)
		next = w->stream->end;
	*ret_damage = damage_at(w->stream_index, w->at, next - w->at, what);
	w->at = next;
	return RANGE_SCAN_DAMAGE;
}

/* Passes a record between chunks. */
static void pass_record(struct stream_walk *w, const struct perf_event_header *hdr)
{
	if (counts_headers(w))
		chunk_counts_type(w->counts, hdr->type);
	w->at += hdr->size;
	w->nr_read += hdr->size;
}

enum range_scan_found stream_walk_next(struct stream_walk *w, struct chunk *ret_chunk,
				       struct chunk_damage *ret_damage)
{
	enum range_scan_found indexed = next_indexed(w, ret_chunk, ret_damage);

	if (indexed != RANGE_SCAN_END)
		return indexed;
	while (w->at < w->stream->end) {
		const uint8_t *at = w->stream->map.data + w->at;
		uint64_t left = w->stream->end - w->at;
		struct perf_event_header hdr = {0};
		struct ts_chunk chunk;
		enum ts_found found;

		if (left >= sizeof(hdr))
			hdr = ts_record_load_header(at);
		/* a cover may be smaller than TS_FILLER_MIN_BYTES */
		if (hdr.size < sizeof(hdr) || hdr.size > left)
			return skip_damage(w, "no record begins here", ret_chunk, ret_damage);
		switch (ts_own_record((const void *)at)) {
		case TS_OWN_NONE:
			return skip_damage(w, "a record outside of any chunk", ret_chunk,
					   ret_damage);
		case TS_OWN_CHUNK:
			found = ts_chunk_parse(at, left, w->at, &chunk);
			if (found == TS_FOUND_NEWER)
				return skip_damage(w, "a later version of tstream wrote this chunk",
						   ret_chunk, ret_damage);
			if (found != TS_FOUND_OK)
				return skip_damage(w, "the chunk header is damaged", ret_chunk,
						   ret_damage);
			pass_record(w, &hdr);
			w->at -= hdr.size;
			return take_chunk(w, &chunk, ret_chunk);
		case TS_OWN_INDEX:
			w->has_passed_index = true;
			pass_record(w, &hdr);
			break;
		default:
			pass_record(w, &hdr);
		}
	}
	return RANGE_SCAN_END;
}

bool stream_walk_header(const struct capture *c, const struct chunk *chunk, struct ts_chunk *ret)
{
	const struct capture_stream *s = &c->streams[chunk->stream];
	const uint64_t offset = chunk->offset - chunk->header_bytes, index = chunk->checksum;
	struct ts_index ix;

	if (ts_chunk_parse(s->map.data + offset, s->end - offset, offset, ret) == TS_FOUND_OK)
		return true;
	if (!(chunk->flags & CHUNK_INDEXED) || index >= s->end ||
	    ts_index_parse(s->map.data + index, s->end - index, index, &ix) != TS_FOUND_OK)
		return false;
	for (uint32_t i = 0; i < ix.nr; i++)
		if (ts_index_chunk(&ix, i, ret) && ret->offset == offset)
			return true;
	return false;
}
