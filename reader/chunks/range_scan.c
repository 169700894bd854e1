// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/range_scan.h"

#include <errno.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/record_type.h"
#include "reader/chunks/record_sanity.h"
#include "reader/chunks/resync.h"

#define PREFETCH_BYTES 2048

/*
 * Captures of perf shrink by less than a factor of 20, but for those with dumps of stacks: dumps of
 * 64 KiB of one loop shrank by 183. Data that expands more than this is meant to fill memory.
 */
#define INFLATED_FREE  (64u << 20) /* of all streams together */
#define INFLATED_RATIO 1000u
/*
 * The same for the beginnings of records: dumps, registers and call chains behind them repeat, but
 * the time in each beginning does not.
 */
#define SMALL_RECORD 128u
#define SMALL_RATIO  100u
/* A stream that expands more than this is held packed: it shrinks quickly and far. */
#define PACKED_SHARE 4u /* of what it may inflate without a reason */
#define PACKED_RATIO 50u

#define RUN_RECORDS 4 /* so many in a row are no accident */

void range_scan_init(struct range_scan *s, const struct capture *c, uint32_t stream,
		     struct chunk_counts *counts)
{
	*s = (struct range_scan){
		.stream = &c->streams[stream],
		.memory = c->memory,
		.stream_index = stream,
		.events = &c->header.events,
		.mmap_len = c->header.compressed_mmap_len,
		.is_unfinished = c->header.data_unfinished,
		.at = c->streams[stream].begin,
		.limit = c->streams[stream].end,
		.free_bytes = INFLATED_FREE / c->nr_streams,
		.counts = counts,
	};
}

void range_scan_release(struct range_scan *s)
{
	if (s->is_inflating)
		ts_inflater_release(&s->inflater);
	packed_range_maker_release(&s->packer);
	memory_free(s->pending);
	s->is_inflating = false;
	s->pending = NULL;
}

static int set_damage(const struct range_scan *s, uint64_t offset, uint64_t bytes, const char *what,
		      struct chunk_damage *ret)
{
	*ret = damage_at(s->stream_index, offset, bytes, what);
	return RANGE_SCAN_DAMAGE;
}

static bool is_compressed(const uint8_t *at, uint64_t left)
{
	uint32_t type;

	if (left < sizeof(struct perf_event_header))
		return false;
	type = ts_record_load_u32(at);
	return type == TS_RECORD_COMPRESSED || type == TS_RECORD_COMPRESSED2;
}

/* Cuts plain records from s->at on, up to the first compressed one. */
static bool cut_plain(struct range_scan *s, struct chunk *ret)
{
	const uint8_t *base = s->stream->map.data, *end = base + s->stream->end;
	const uint8_t *from = base + s->at, *at = from;
	uint64_t most = ts_min(s->limit - s->at, (uint64_t)CHUNK_SCAN_BYTES);
	size_t span;

	while ((uint64_t)(at - from) < most && !is_compressed(at, (uint64_t)(end - at))) {
		/*
		 * Each header tells where the next one is. Without the prefetch each is a cache
		 * miss.
		 */
		__builtin_prefetch(at + PREFETCH_BYTES);
		span = record_sanity_span(at, (size_t)(end - at));
		if (!span)
			break;
		s->has_left_grid |= span % 8 > 0;
		at += span;
	}
	if (at == from)
		return false;
	*ret = (struct chunk){
		.stream = s->stream_index,
		.offset = s->at,
		.bytes = (uint64_t)(at - from),
		.raw_bytes = (uint64_t)(at - from),
	};
	s->at += ret->bytes;
	return true;
}

/* The bytes of whole records at the start of `pending`. */
static size_t pending_whole(struct range_scan *s)
{
	size_t whole = 0, span;

	while ((span = record_sanity_span(s->pending + whole, s->pending_len - whole))) {
		whole += span;
		s->small_bytes += ts_min(span, (size_t)SMALL_RECORD);
	}
	return whole;
}

/* Packs the first `whole` bytes of `pending`. NULL: they stay plain. */
static uint8_t *pack_pending(struct range_scan *s, size_t whole, size_t rest, size_t *ret_bytes)
{
	uint8_t *packed;

	if (s->nr_inflated < s->free_bytes / PACKED_SHARE ||
	    s->nr_inflated / PACKED_RATIO < s->pending_end - s->stream->begin)
		return NULL;
	packed = packed_range_make(&s->packer, s->memory, s->pending, whole, ret_bytes);
	if (packed)
		memmove(s->pending, s->pending + whole, rest);
	return packed;
}

/*
 * Gives `whole` bytes of `pending` away: the buffer itself, or a copy if they are few. A stream
 * that mixes compressed records with others has many ranges of a few hundred bytes. With a buffer
 * and a mapping for each of them a process would need more than it may have.
 */
static uint8_t *give_pending(struct range_scan *s, size_t whole, size_t rest)
{
	uint8_t *given = s->pending, *keep = NULL, *cut;

	if (whole <= CHUNK_SCAN_BYTES / 4) {
		given = memory_new(s->memory, 1, whole);
		if (!given)
			return NULL;
		memcpy(given, s->pending, whole);
		memmove(s->pending, s->pending + whole, rest);
		return given;
	}
	keep = memory_resize(s->memory, NULL, 1, CHUNK_SCAN_BYTES + rest);
	if (!keep)
		return NULL;
	memcpy(keep, s->pending + whole, rest);
	s->pending = keep;
	s->pending_cap = CHUNK_SCAN_BYTES + rest;
	cut = memory_resize(s->memory, given, 1, whole);
	return cut ? cut : given;
}

/* Gives the whole records of `pending` away and keeps the rest. 0: there are none. */
static int cut_pending(struct range_scan *s, struct chunk *ret)
{
	size_t whole = pending_whole(s), rest = s->pending_len - whole, packed_bytes = 0;
	uint8_t *given;

	if (!whole)
		return 0;
	given = pack_pending(s, whole, rest, &packed_bytes);
	if (!given)
		given = give_pending(s, whole, rest);
	if (!given)
		return -ENOMEM;
	*ret = (struct chunk){
		.stream = s->stream_index,
		.offset = s->pending_offset,
		.bytes = s->pending_end - s->pending_offset,
		.raw_bytes = whole,
		.inflated = given,
		.packed_bytes = packed_bytes,
	};
	s->pending_len = rest;
	s->pending_offset = s->at;
	return RANGE_SCAN_CHUNK;
}

static int grow_pending(struct range_scan *s)
{
	size_t cap = s->pending_cap ? s->pending_cap + s->pending_cap / 2 : 2 * CHUNK_SCAN_BYTES;
	uint8_t *grown;

	if (s->pending_cap - s->pending_len >= CHUNK_SCAN_BYTES / 4)
		return 0;
	grown = memory_resize(s->memory, s->pending, 1, cap);
	if (!grown)
		return -ENOMEM;
	s->pending = grown;
	s->pending_cap = cap;
	return 0;
}

/* Begins to read the compressed record at s->at. 0, or an error with the reason. */
static int begin_record(struct range_scan *s, size_t span, struct ts_error *err)
{
	int rc = 0;

	if (!s->is_inflating)
		rc = ts_inflater_init(&s->inflater, s->mmap_len, err);
	if (rc)
		return rc;
	s->is_inflating = true;
	if (!s->pending_len)
		s->pending_offset = s->at;
	rc = ts_inflater_feed(&s->inflater, s->stream->map.data + s->at, span, err);
	s->record_end = s->at + span;
	return rc;
}

static bool expands_beyond(const struct range_scan *s, uint64_t bytes, unsigned int ratio)
{
	return bytes > s->free_bytes &&
	       (bytes - s->free_bytes) / ratio > s->record_end - s->stream->begin;
}

/* Reads on until a range is full or the record ends; *ret_ended tells which. */
static int read_record(struct range_scan *s, bool *ret_ended, struct ts_error *err)
{
	*ret_ended = false;
	while (!*ret_ended && s->pending_len < CHUNK_SCAN_BYTES) {
		ssize_t n;

		if (grow_pending(s))
			return ts_error_set(err, ENOMEM, "out of memory");
		n = ts_inflater_read(&s->inflater, s->pending + s->pending_len,
				     s->pending_cap - s->pending_len, err);
		if (n < 0)
			return (int)n;
		*ret_ended = !n;
		s->pending_len += (size_t)n;
		s->nr_inflated += (uint64_t)n;
	}
	if (expands_beyond(s, s->nr_inflated, INFLATED_RATIO))
		return ts_error_set(err, E2BIG, "its compressed records expand more than %u times",
				    INFLATED_RATIO);
	if (expands_beyond(s, s->small_bytes, SMALL_RATIO))
		return ts_error_set(err, E2BIG,
				    "its compressed records expand more than %u times, to small "
				    "records",
				    SMALL_RATIO);
	return 0;
}

static uint64_t next_run(const struct range_scan *s)
{
	return resync_next(s->events, s->stream->map.data, s->at + 8, s->stream->end,
			   s->has_left_grid ? 1 : 8);
}

/*
 * Behind damage the endless frame of compressed records cannot be continued. If no frame has begun,
 * another record only looks like a compressed one.
 */
static int skip_broken(struct range_scan *s, const char *reason, struct chunk_damage *ret)
{
	uint64_t next = s->stream->end;

	if (s->nr_inflated) {
		s->is_broken = true;
	} else {
		next = next_run(s);
		range_scan_release(s);
		s->pending_len = s->pending_cap = 0;
	}
	set_damage(s, s->at, next - s->at, reason, ret);
	s->at = next;
	s->record_end = 0;
	return RANGE_SCAN_DAMAGE;
}

/* Inflates one compressed record behind `pending`, or as much of it as fills a range. */
static int inflate_record(struct range_scan *s, struct chunk_damage *ret)
{
	const uint8_t *base = s->stream->map.data;
	struct ts_error err = {0};
	bool has_ended = false;
	int rc = 0;

	if (!s->record_end) {
		if (s->counts && s->counts->is_full && !s->counts->selection)
			chunk_counts_type(s->counts, ts_record_load_u32(base + s->at));
		rc = begin_record(s, ts_inflater_span(base + s->at, s->stream->end - s->at), &err);
	}
	if (!rc)
		rc = read_record(s, &has_ended, &err);
	if (rc == -ENOMEM)
		return rc;
	s->pending_end = s->at;
	if (rc)
		return skip_broken(s, err.text, ret);
	s->at = has_ended ? s->record_end : (uint64_t)(s->inflater.at - base);
	s->pending_end = s->at;
	if (has_ended)
		s->record_end = 0;
	return 0;
}

/* Is a compressed record, or the rest of one, left to be read? */
static bool is_more_compressed(const struct range_scan *s)
{
	const uint8_t *at = s->stream->map.data + s->at;
	uint64_t left = s->stream->end - s->at;

	return s->record_end || (is_compressed(at, left) && ts_inflater_span(at, left));
}

/* Cuts compressed records from s->at on, until a range is full or another record comes. */
static int cut_compressed(struct range_scan *s, struct chunk *ret_chunk,
			  struct chunk_damage *ret_damage)
{
	int rc;

	while (s->pending_len < CHUNK_SCAN_BYTES && is_more_compressed(s)) {
		rc = inflate_record(s, ret_damage);
		if (rc)
			return rc;
	}
	rc = cut_pending(s, ret_chunk);
	if (rc || s->pending_len < CHUNK_SCAN_BYTES)
		return rc;
	/*
	 * `pending` holds far more than a record, and no record begins in it. That is damage;
	 * without this check the loop would never end.
	 */
	s->pending_len = 0;
	s->record_end = 0;
	s->is_broken = true;
	set_damage(s, s->pending_offset, s->stream->end - s->pending_offset,
		   "the compressed records hold what is no record", ret_damage);
	s->at = s->stream->end;
	return RANGE_SCAN_DAMAGE;
}

/* Do records begin there, one of them compressed: RUN_RECORDS, or as many as there are? */
static bool begins_compressed_run(const struct range_scan *s, uint64_t at)
{
	unsigned int nr_compressed = 0;

	for (unsigned int i = 0; i < RUN_RECORDS && at < s->stream->end; i++) {
		const uint8_t *record = s->stream->map.data + at;
		uint64_t left = s->stream->end - at;
		bool is_one = is_compressed(record, left);
		size_t span =
			is_one ? ts_inflater_span(record, left) : record_sanity_span(record, left);

		if (!span || !ts_record_type_name(ts_record_load_u32(record)))
			return false;
		nr_compressed += is_one;
		at += span;
	}
	return nr_compressed > 0;
}

/* Do records follow somewhere behind the one at s->at? */
static bool has_more_records(const struct range_scan *s)
{
	if (!s->is_inflating)
		return next_run(s) < s->stream->end;
	for (uint64_t at = s->at + 8; at < s->stream->end; at++)
		if (begins_compressed_run(s, at))
			return true;
	return false;
}

static bool is_zero(const uint8_t *at, uint64_t len)
{
	while (len && !*at) {
		at++;
		len--;
	}
	return !len;
}

/* Does the stream end within the record at s->at, or in zeros, as a kill leaves it? */
static bool is_torn(const struct range_scan *s)
{
	const uint8_t *at = s->stream->map.data + s->at;
	uint64_t rest = s->stream->end - s->at;
	struct perf_event_header h;
	size_t span;

	if (rest < sizeof(h))
		return true;
	h = ts_record_load_header(at);
	if (!h.size)
		return is_zero(at + sizeof(h), rest - sizeof(h));
	if (!h.type || h.type >= CHUNK_RECORD_TYPES || h.size < sizeof(h) ||
	    (h.type < TS_RECORD_USER_START && h.size % 8))
		return false;
	span = is_compressed(at, rest) ? ts_inflater_span(at, rest) : ts_record_span(at, rest);
	return !span && !has_more_records(s);
}

/* No more can be cut: is it the end of the stream, or damage? */
static int end_or_damage(struct range_scan *s, struct chunk_damage *ret)
{
	uint64_t rest = s->stream->end - s->at, next;

	if (s->pending_len) {
		uint64_t from = s->pending_offset;

		s->pending_len = 0;
		if (!s->is_unfinished && !s->is_broken)
			return set_damage(s, from, s->at - from,
					  "the compressed records end inside a record", ret);
	}
	if (!rest)
		return RANGE_SCAN_END;
	if (s->is_unfinished && is_torn(s))
		return RANGE_SCAN_END;
	next = s->is_inflating ? s->stream->end : ts_min(next_run(s), s->stream->end);
	set_damage(s, s->at, next - s->at,
		   next < s->stream->end ? "no record begins here"
					 : "no record begins here, or it reaches beyond the end",
		   ret);
	s->at = next;
	return RANGE_SCAN_DAMAGE;
}

int range_scan_next(struct range_scan *s, struct chunk *ret_chunk, struct chunk_damage *ret_damage)
{
	const uint8_t *base = s->stream->map.data;
	int rc;

	while (s->at < s->stream->end || s->record_end) {
		if (!s->record_end && !is_compressed(base + s->at, s->stream->end - s->at)) {
			if (cut_plain(s, ret_chunk))
				return RANGE_SCAN_CHUNK;
			break;
		}
		rc = cut_compressed(s, ret_chunk, ret_damage);
		if (rc)
			return rc;
		if (is_compressed(base + s->at, s->stream->end - s->at) && !is_more_compressed(s))
			break;
	}
	rc = cut_pending(s, ret_chunk);
	return rc ? rc : end_or_damage(s, ret_damage);
}
