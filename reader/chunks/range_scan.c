// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/range_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/lengthened.h"
#include "common/perf/record_type.h"
#include "reader/chunks/record_sanity.h"
#include "reader/chunks/resync.h"

#define PREFETCH_BYTES 2048

/*
 * Captures of perf shrink by less than a factor of 100. Data that expands more than this is meant
 * to fill memory.
 */
#define INFLATED_FREE  (64u << 20)
#define INFLATED_RATIO 1000u

#define RUN_RECORDS 4 /* so many in a row are no accident */

/* --- cutting --- */

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
		.counts = counts,
	};
}

void range_scan_release(struct range_scan *s)
{
	if (s->is_inflating)
		ts_inflater_release(&s->inflater);
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
static size_t pending_whole(const struct range_scan *s)
{
	size_t whole = 0, span;

	while ((span = record_sanity_span(s->pending + whole, s->pending_len - whole)))
		whole += span;
	return whole;
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
	size_t whole = pending_whole(s), rest = s->pending_len - whole;
	uint8_t *given;

	if (!whole)
		return 0;
	given = give_pending(s, whole, rest);
	if (!given)
		return -ENOMEM;
	*ret = (struct chunk){
		.stream = s->stream_index,
		.offset = s->pending_offset,
		.bytes = s->pending_end - s->pending_offset,
		.raw_bytes = whole,
		.inflated = given,
	};
	s->pending_len = rest;
	s->pending_offset = s->at;
	return RANGE_SCAN_PIECE;
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
	if (s->nr_inflated > INFLATED_FREE &&
	    (s->nr_inflated - INFLATED_FREE) / INFLATED_RATIO > s->record_end - s->stream->begin)
		return ts_error_set(err, E2BIG, "its compressed records expand more than %u times",
				    INFLATED_RATIO);
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
			range_scan_count_type(s->counts, ts_record_load_u32(base + s->at));
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
				return RANGE_SCAN_PIECE;
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

/* --- reading a range --- */

/* Offset of the time in a SAMPLE with this sample_type. */
static uint32_t sample_time_off(uint64_t type)
{
	uint32_t off = sizeof(struct perf_event_header);

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	off += type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
	off += type & PERF_SAMPLE_IP ? 8 : 0;
	off += type & PERF_SAMPLE_TID ? 8 : 0;
	return off;
}

/* Distance of the time from the end of any record that is no SAMPLE. */
static uint32_t trailer_time_tail(uint64_t type)
{
	static const uint64_t behind[] = {PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
					  PERF_SAMPLE_IDENTIFIER};
	uint32_t tail = 8;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++)
		tail += type & behind[i] ? 8 : 0;
	return tail;
}

void range_scan_layout_init(struct range_scan_layout *l, const struct ts_events *events)
{
	*l = (struct range_scan_layout){.events = events};
	for (size_t i = 0; i < events->nr; i++) {
		uint64_t type = events->items[i].attr.sample_type;
		uint32_t off = sample_time_off(type);
		uint32_t tail = events->sample_id_all ? trailer_time_tail(type) : 0;

		if (!i) {
			l->sample_time_off = off;
			l->trailer_time_tail = tail;
		}
		if (off != l->sample_time_off)
			l->sample_time_off = 0;
		if (tail != l->trailer_time_tail)
			l->trailer_time_tail = 0;
	}
	l->sample_min_bytes = l->sample_time_off + 8;
	if (events->nr && events->same_trailer)
		l->trailer_bytes = ts_record_trailer_bytes(&events->items[0].attr);
}

static uint64_t decoded_time(const struct range_scan_layout *l, const struct perf_event_header *hdr)
{
	struct ts_sample_id sid;

	return ts_decode_id(l->events, hdr, &sid) == TS_DECODE_OK ? sid.time_ns : 0;
}

uint64_t range_scan_time(const struct range_scan_layout *l, const struct perf_event_header *hdr)
{
	const uint8_t *at = (const uint8_t *)hdr;
	struct perf_event_header h = ts_record_load_header(at);
	uint64_t time;

	if (h.type == PERF_RECORD_SAMPLE && l->sample_time_off && h.size >= l->sample_min_bytes)
		time = ts_record_load_u64(at + l->sample_time_off);
	else if (h.type != PERF_RECORD_SAMPLE && !ts_lengthened_is_type(h.type) &&
		 l->trailer_time_tail && h.size >= sizeof(h) + l->trailer_time_tail)
		time = ts_record_load_u64(at + h.size - l->trailer_time_tail);
	else
		time = decoded_time(l, hdr);
	return time == UINT64_MAX ? 0 : time;
}

static void count_sample(const struct range_scan_layout *l, const struct perf_event_header *hdr,
			 struct chunk_counts *counts)
{
	struct ts_sample_id sid;
	uint32_t event = TS_NO_EVENT;

	if (l->events->nr == 1)
		event = 0;
	else if (ts_decode_sample_id(l->events, hdr, &sid) == TS_DECODE_OK)
		event = sid.event;
	counts->event_samples[event < counts->nr_events ? event : counts->nr_events]++;
}

static void count_lost(const struct range_scan_layout *l, const struct perf_event_header *hdr,
		       struct chunk_counts *counts)
{
	const uint8_t *body = (const uint8_t *)hdr + sizeof(*hdr);
	struct ts_sample_id sid;
	uint64_t lost;

	if (ts_decode_trailer(l->events, hdr, &sid) != TS_DECODE_OK)
		return;
	if (ts_record_load_header(hdr).type == PERF_RECORD_LOST) {
		counts->lost += ts_record_load_u64(body + 8);
		return;
	}
	lost = ts_record_load_u64(body);
	counts->lost_samples += lost;
	if (sid.event < counts->nr_events)
		counts->event_lost[sid.event] += lost;
}

/* Records that tools wrote have neither time nor CPU, so a selection does not count them. */
static bool is_counted(const struct range_scan_layout *l, const struct perf_event_header *hdr,
		       uint32_t type, const struct chunk_counts *counts)
{
	struct ts_sample_id sid;

	if (!counts->selection)
		return true;
	return type < TS_RECORD_USER_START && ts_decode_id(l->events, hdr, &sid) == TS_DECODE_OK &&
	       selection_takes_record(counts->selection, &sid) &&
	       selection_takes_thread(counts->selection, sid.pid, sid.tid, NULL);
}

static void count_record(const struct range_scan_layout *l, const struct perf_event_header *hdr,
			 uint32_t type, struct chunk_counts *counts)
{
	if (type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES)
		count_lost(l, hdr, counts);
	if (!counts->is_full)
		return;
	range_scan_count_type(counts, type);
	if (type == PERF_RECORD_SAMPLE)
		count_sample(l, hdr, counts);
}

static void note_time(struct chunk *chunk, uint64_t time)
{
	if (!time) {
		chunk->flags |= CHUNK_UNTIMED;
		return;
	}
	if (time < chunk->time_min_ns)
		chunk->time_min_ns = time;
	if (time > chunk->time_max_ns)
		chunk->time_max_ns = time;
}

size_t range_scan_piece(const struct range_scan_layout *l, const uint8_t *records, size_t len,
			struct chunk *chunk, struct chunk_counts *counts)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;

	chunk->nr_records = 0;
	chunk->time_min_ns = UINT64_MAX;
	chunk->time_max_ns = 0;
	while ((hdr = chunk_walk_next(&walk))) {
		uint32_t type = ts_record_load_u32(hdr);

		chunk->nr_records++;
		if (counts && is_counted(l, hdr, type, counts))
			count_record(l, hdr, type, counts);
		if (type >= TS_RECORD_USER_START) {
			chunk->flags |= CHUNK_USER;
			continue;
		}
		chunk->flags |= type == PERF_RECORD_SAMPLE ? CHUNK_SAMPLES : CHUNK_SIDEBAND;
		if (CHUNK_TASK_TYPES >> type & 1)
			chunk->flags |= CHUNK_TASKS;
		note_time(chunk, range_scan_time(l, hdr));
	}
	return (size_t)(walk.at - records);
}

/* --- counts --- */

int range_scan_counts_init(struct chunk_counts *c, size_t nr_events)
{
	*c = (struct chunk_counts){.nr_events = nr_events};
	c->event_samples = calloc(nr_events + 1, sizeof(*c->event_samples));
	c->event_lost = calloc(nr_events + 1, sizeof(*c->event_lost));
	if (c->event_samples && c->event_lost)
		return 0;
	range_scan_counts_release(c);
	return -ENOMEM;
}

void range_scan_counts_add(struct chunk_counts *to, const struct chunk_counts *from)
{
	for (size_t i = 0; i < CHUNK_RECORD_TYPES; i++)
		to->by_type[i] += from->by_type[i];
	for (size_t i = 0; i <= to->nr_events; i++) {
		to->event_samples[i] += from->event_samples[i];
		to->event_lost[i] += from->event_lost[i];
	}
	to->total += from->total;
	to->lost += from->lost;
	to->lost_samples += from->lost_samples;
}

void range_scan_counts_release(struct chunk_counts *c)
{
	free(c->event_samples);
	free(c->event_lost);
	*c = (struct chunk_counts){0};
}
