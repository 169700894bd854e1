// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/index_walk.h"

#include <stdlib.h>

#include "common/base/min_max.h"
#include "common/stream/chunk.h"

/*
 * In the stream of a killed recorder the last index record is searched up to so far from the end.
 */
#define REACH_BYTES   (256u << 20)
#define RECORDS_FIRST 4

bool index_walk_has_footer(const struct capture_stream *stream)
{
	struct ts_footer footer;

	return ts_footer_last(stream->map.data, stream->end, &footer) == TS_FOUND_OK;
}

/* --- the records --- */

static bool add_record(struct index_walk *w, const struct ts_index *ix)
{
	if (w->nr == w->cap) {
		const size_t cap = w->cap ? 2 * w->cap : RECORDS_FIRST;
		struct ts_index *grown = realloc(w->records, cap * sizeof(*grown));

		if (!grown)
			return false;
		w->records = grown;
		w->cap = cap;
	}
	w->records[w->nr++] = *ix;
	return true;
}

static bool find_last(struct index_walk *w, bool is_sparse, struct ts_index *ret)
{
	const struct map *map = &w->stream->map;
	bool is_searched = !index_walk_has_footer(w->stream), is_found;
	uint64_t end = w->stream->end;

	if (is_sparse && is_searched)
		map_read_sparsely(map, false);
	is_found = ts_index_last(map->data, end, REACH_BYTES, ret) == TS_FOUND_OK;
	if (!is_found)
		w->nr_read += ts_min(end, (uint64_t)REACH_BYTES);
	else if (is_searched)
		w->nr_read += end - ret->offset;
	if (is_sparse && is_searched)
		map_read_sparsely(map, true);
	return is_found;
}

/* Collects the index records from the last one back to the first; false: they are not all there. */
static bool collect_records(struct index_walk *w, bool is_sparse)
{
	const struct map *map = &w->stream->map;
	uint64_t end = w->stream->end;
	struct ts_index ix;

	if (!find_last(w, is_sparse, &ix))
		return false;
	while (add_record(w, &ix)) {
		uint64_t prev = ix.prev_offset;

		w->nr_read += ix.record_bytes;
		if (prev == TS_NO_OFFSET)
			return true;
		if (is_sparse && prev < ix.offset)
			map_prefetch(map, prev, TS_INDEX_MAX_BYTES);
		if (prev >= ix.offset ||
		    ts_index_parse(map->data + prev, end - prev, prev, &ix) != TS_FOUND_OK)
			break;
	}
	return false;
}

static void reverse_records(struct index_walk *w)
{
	for (size_t i = 0; i < w->nr / 2; i++) {
		struct ts_index swap = w->records[i];

		w->records[i] = w->records[w->nr - 1 - i];
		w->records[w->nr - 1 - i] = swap;
	}
}

/* --- is the index whole? --- */

/*
 * Do the chunks of the entries stand one behind the other? If entries could name a chunk again, a
 * small file would hold any number of records.
 */
static bool entries_ascend(const struct index_walk *w)
{
	uint64_t end = w->stream->begin;
	struct ts_chunk c;

	for (size_t i = 0; i < w->nr; i++) {
		const struct ts_index *ix = &w->records[i];

		for (uint32_t entry = 0; entry < ix->nr; entry++) {
			if (!ts_index_chunk(ix, entry, &c))
				continue;
			if (c.offset < end)
				return false;
			end = c.offset + c.header_bytes + c.payload_bytes;
		}
		end = ix->offset + ix->record_bytes;
	}
	return true;
}

/* Do the entries leave no chunk out? A footer counts chunks and records. */
static bool entries_are_all(const struct index_walk *w)
{
	uint64_t nr_chunks = 0, nr_records = 0;
	bool are_possible = true;
	struct ts_footer footer;
	struct ts_chunk c;

	for (size_t i = 0; i < w->nr; i++) {
		const struct ts_index *ix = &w->records[i];

		if (ix->first_seq != nr_chunks)
			return false;
		nr_chunks += ix->nr;
		for (uint32_t entry = 0; entry < ix->nr; entry++)
			if (ts_index_chunk(ix, entry, &c))
				nr_records += c.nr_records;
			else
				are_possible = false;
	}
	return ts_footer_last(w->stream->map.data, w->stream->end, &footer) != TS_FOUND_OK ||
	       (footer.nr_chunks == nr_chunks &&
		(footer.nr_records == nr_records || !are_possible));
}

/* Are there only records of ours between payloads, and none that begins a chunk? */
static bool has_no_chunk(const struct capture_stream *stream, uint64_t at, uint64_t end)
{
	while (at < end) {
		const uint8_t *record = stream->map.data + at;
		struct perf_event_header hdr = {0};
		enum ts_own_record own;

		if (end - at >= sizeof(hdr))
			hdr = ts_record_load_header(record);
		if (hdr.size < sizeof(hdr) || hdr.size > end - at)
			return false;
		own = ts_own_record((const void *)record);
		if (own == TS_OWN_NONE || own == TS_OWN_CHUNK)
			return false;
		at += hdr.size;
	}
	return true;
}

/*
 * Does the last index record of a killed stream name each chunk before it? No footer and no later
 * record counts its entries. Only what stands between the chunks that it names is read: as a rule
 * nothing.
 */
static bool last_is_whole(const struct index_walk *w)
{
	const struct ts_index *ix = &w->records[w->nr - 1];
	uint64_t end = w->nr > 1 ? ix[-1].offset + ix[-1].record_bytes : w->stream->begin;
	struct ts_chunk c;

	if (index_walk_has_footer(w->stream))
		return true;
	for (uint32_t entry = 0; entry < ix->nr; entry++) {
		if (!ts_index_chunk(ix, entry, &c))
			return true; /* the walk names this entry */
		if (!has_no_chunk(w->stream, end, c.offset))
			return false;
		end = c.offset + c.header_bytes + c.payload_bytes;
	}
	return has_no_chunk(w->stream, end, ix->offset);
}

bool index_walk_open(struct index_walk *w, const struct capture_stream *stream, bool is_sparse)
{
	bool is_complete;

	*w = (struct index_walk){.stream = stream};
	is_complete = collect_records(w, is_sparse);
	reverse_records(w);
	if (is_complete && entries_ascend(w) && entries_are_all(w) && last_is_whole(w))
		return true;
	index_walk_release(w);
	return false;
}

uint64_t index_walk_end(const struct index_walk *w)
{
	const struct ts_index *last = &w->records[w->nr - 1];

	return last->offset + last->record_bytes;
}

/* --- the entries --- */

const struct ts_index *index_walk_next(struct index_walk *w, struct ts_chunk *ret,
				       bool *ret_is_possible)
{
	for (; w->next < w->nr; w->next++, w->next_entry = 0) {
		const struct ts_index *ix = &w->records[w->next];

		if (w->next_entry == ix->nr)
			continue;
		*ret_is_possible = ts_index_chunk(ix, w->next_entry++, ret);
		return ix;
	}
	return NULL;
}

const struct ts_index *index_walk_find(struct index_walk *w, uint64_t offset, struct ts_chunk *ret)
{
	for (; w->next < w->nr; w->next++, w->next_entry = 0) {
		const struct ts_index *ix = &w->records[w->next];

		for (; w->next_entry < ix->nr; w->next_entry++)
			if (ts_index_chunk(ix, w->next_entry, ret) && ret->offset >= offset)
				return ret->offset == offset ? ix : NULL;
	}
	return NULL;
}

void index_walk_release(struct index_walk *w)
{
	free(w->records);
	w->records = NULL;
	w->nr = 0;
}
