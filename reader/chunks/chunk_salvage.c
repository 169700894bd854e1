// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/chunk_salvage.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/perf_layout.h"
#include "reader/chunks/record_sanity.h"
#include "reader/chunks/resync.h"

#define ZSTD_MAGIC	     0xFD2FB528u
#define ZSTD_SKIPPABLE	     0x184D2A50u /* and the fifteen behind it */
#define ZSTD_SKIPPABLE_BYTES 16u

/* A chunk with more broken frames is no accident: each may take long until it fails. */
#define FAILED_MAX 64u
/*
 * A damaged chunk expands to at most so many times its bytes: each byte behind damage is looked at.
 * Samples shrink by less than a factor of 20, those of one long call chain by up to 226, dumps of
 * stacks by up to 183.
 */
#define EXPANSION_MAX 256u

/* --- compressed payloads --- */

static bool begins_frame(const uint8_t *at, size_t left)
{
	uint32_t magic;

	if (left < sizeof(struct perf_event_header) + sizeof(magic) ||
	    ts_record_load_u32(at) != TS_RECORD_COMPRESSED || !record_sanity_span(at, left))
		return false;
	magic = ts_record_load_u32(at + sizeof(struct perf_event_header));
	return magic == ZSTD_MAGIC || magic - ZSTD_SKIPPABLE < ZSTD_SKIPPABLE_BYTES;
}

/* The bytes of the compressed or plain record that begins there; 0: none does. */
static size_t record_at(const uint8_t *at, size_t left)
{
	size_t span = record_sanity_span(at, left);

	if (span % 8 ||
	    (span && ts_record_load_u32(at) >= TS_RECORD_USER_START && !begins_frame(at, left)))
		return 0;
	return span;
}

static size_t next_frame(const uint8_t *payload, size_t at, size_t len)
{
	while (at < len && !begins_frame(payload + at, len - at))
		at += 8;
	return at;
}

size_t chunk_salvage_expand(struct ts_decompressor *d, const uint8_t *payload, size_t len,
			    uint8_t *to, size_t cap)
{
	size_t at = 0, filled = 0;
	unsigned int nr_failed = 0;

	cap = ts_min(cap, EXPANSION_MAX * len);
	while (at < len && nr_failed < FAILED_MAX) {
		size_t span = record_at(payload + at, len - at), next = at + span, n = 0;

		if (span)
			n = ts_decompressor_expand_partial(d, payload + at, span, to + filled,
							   cap - filled);
		filled += n;
		nr_failed += span && !n;
		/* what cannot be expanded may have a wrong size */
		if (!n && next < len && (!span || !record_at(payload + next, len - next)))
			next = next_frame(payload, at + 8, len);
		at = next;
	}
	return filled;
}

/* --- records --- */

/* Times in the headers of older recorders may be wrong (lengthened.h). */
static bool has_sure_times(const struct chunk *c)
{
	return c->time_max_ns && (!(c->flags & CHUNK_TASKS) || c->flags & CHUNK_MENDED);
}

static bool is_sound(const struct ts_events *events, const struct chunk *c,
		     const struct perf_event_header *hdr, bool *ret_unknown_event)
{
	struct ts_sample_id sid;

	if (ts_record_load_u32(hdr) >= TS_RECORD_USER_START ||
	    record_sanity_check(events, hdr, ret_unknown_event))
		return false;
	if (!has_sure_times(c) || ts_decode_id(events, hdr, &sid) != TS_DECODE_OK)
		return true;
	if (!sid.time_ns)
		return ts_record_load_u32(hdr) != PERF_RECORD_SAMPLE; /* what existed has time 0 */
	return sid.time_ns >= c->time_min_ns && sid.time_ns <= c->time_max_ns;
}

/* In a damaged chunk the id of an unknown event is rather a wrong one. */
static bool looks_sound(const struct ts_events *events, const struct chunk *c,
			const struct perf_event_header *hdr)
{
	bool is_unknown;

	return is_sound(events, c, hdr, &is_unknown) && !is_unknown;
}

static void note_hole(struct chunk_holes *h, size_t kept, size_t left_out)
{
	if (left_out == (h->nr ? h->items[h->nr - 1].left_out : 0))
		return;
	if (h->nr == h->cap) {
		size_t cap = h->cap ? 2 * h->cap : 16;
		struct chunk_hole *grown = realloc(h->items, cap * sizeof(*grown));

		if (!grown)
			return;
		h->items = grown;
		h->cap = cap;
	}
	h->items[h->nr++] = (struct chunk_hole){kept, left_out};
}

/*
 * The next place at `at`, or a multiple of 8 bytes behind it, where a run of records begins whose
 * first looks sound; or `len`. The time costs less than the run, so it is judged first.
 */
static size_t next_sound(const struct ts_events *events, const struct chunk *chunk,
			 const uint8_t *records, size_t at, size_t len)
{
	while (at < len && !(record_sanity_span(records + at, len - at) &&
			     looks_sound(events, chunk, (const void *)(records + at)) &&
			     resync_is_run(events, records + at, records + len)))
		at += 8;
	return at < len ? at : len;
}

size_t chunk_salvage_place(const struct chunk_holes *holes, size_t at)
{
	size_t from = 0, to = holes->nr;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (holes->items[middle].kept <= at)
			from = middle + 1;
		else
			to = middle;
	}
	return at + (from ? holes->items[from - 1].left_out : 0);
}

size_t chunk_salvage_records(const struct ts_events *events, const struct chunk *chunk,
			     uint8_t *records, size_t len, struct chunk_holes *holes,
			     uint64_t *ret_nr)
{
	size_t at = 0, kept = 0;

	*ret_nr = 0;
	if (holes)
		holes->nr = 0;
	while (at < len) {
		size_t span = record_sanity_span(records + at, len - at);

		if (!span || !looks_sound(events, chunk, (const void *)(records + at))) {
			at = next_sound(events, chunk, records, at + 8, len);
			continue;
		}
		if (holes)
			note_hole(holes, kept, at - kept);
		memmove(records + kept, records + at, span);
		kept += span;
		at += span;
		++*ret_nr;
	}
	return kept;
}

size_t chunk_salvage_whole(const struct ts_events *events, const struct chunk *chunk,
			   const uint8_t *records, size_t len, bool *ret_is_damaged)
{
	size_t at = 0, span, end;
	bool is_unknown;

	*ret_is_damaged = false;
	while ((span = record_sanity_span(records + at, len - at))) {
		*ret_is_damaged |=
			!is_sound(events, chunk, (const void *)(records + at), &is_unknown);
		at += span;
	}
	/*
	 * The type is wrong, or the size: a record that is torn is no record. Of a compressed chunk
	 * only so much is searched; more than that is more than a torn record.
	 */
	end = ts_min(len, at + EXPANSION_MAX * chunk->bytes);
	if (ts_record_span(records + at, len - at) || end < len ||
	    (at < end && resync_next(events, records, at + 8, end, 8) < end))
		*ret_is_damaged = true;
	return at;
}
