// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/parallel_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/chunks/chunk_contents.h"
#include "reader/chunks/resync.h"
#include "reader/chunks/stream_walk.h"

/* No record is as long as this: if one begins at all, it begins within so many bytes. */
#define GUESS_BYTES (128u << 10)

/* --- planning --- */

static int add_piece(struct parallel_scan *p, uint32_t stream, uint64_t begin,
		     const struct chunk_counts *model)
{
	struct piece *piece, *grown;

	if (p->nr == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 16;
		grown = realloc(p->items, p->cap * sizeof(*p->items));
		if (!grown)
			return -ENOMEM;
		p->items = grown;
	}
	piece = &p->items[p->nr++];
	*piece = (struct piece){.stream = stream, .begin = begin};
	if (chunk_counts_init(&piece->counts, model->nr_events))
		return -ENOMEM;
	piece->counts.is_full = model->is_full;
	piece->counts.selection = model->selection;
	return 0;
}

/*
 * The first place behind `at` where a piece may begin; s->end: there is none. A record of an odd
 * size, as perf writes into pipes, moves all records behind it from the grid of the stream's
 * beginning. So where no record is on the grid, one may be beside it.
 */
static uint64_t guess_begin(const struct ts_events *events, const struct capture_stream *s,
			    uint64_t at)
{
	const uint64_t until = at + GUESS_BYTES;
	uint64_t guess = resync_guess(events, s->map.data, at, until, s->end, 8);

	return guess < s->end ? guess : resync_guess(events, s->map.data, at, until, s->end, 1);
}

/* If no place is guessed, or the same place again, the piece before it becomes longer. */
static int plan_stream(struct parallel_scan *p, const struct capture *c, uint32_t stream,
		       uint64_t bytes, const struct chunk_counts *model)
{
	const struct capture_stream *s = &c->streams[stream];
	int rc = add_piece(p, stream, s->begin, model);

	for (uint64_t at = s->begin + bytes; !rc && s->end - at >= bytes; at += bytes) {
		uint64_t guess = guess_begin(&c->header.events, s, at);

		if (guess == s->end || guess == p->items[p->nr - 1].begin)
			continue;
		p->items[p->nr - 1].limit = guess;
		rc = add_piece(p, stream, guess, model);
	}
	if (!rc)
		p->items[p->nr - 1].limit = s->end;
	return rc;
}

/* The test reads a page of the stream, and no more if little of ours will be read. */
static bool is_foreign(const struct chunk_table *t, const struct capture_stream *s)
{
	bool is_ours;

	if (t->is_sparse)
		map_read_sparsely(&s->map, true);
	is_ours = stream_walk_is_ours(s);
	if (t->is_sparse && !is_ours)
		map_read_sparsely(&s->map, false);
	return !is_ours;
}

int parallel_scan_plan(struct parallel_scan *p, const struct chunk_table *t, uint64_t piece_bytes,
		       const struct chunk_counts *model)
{
	const struct capture *c = t->capture;
	int rc = 0;

	for (size_t i = 0; !rc && !c->header.compressed_mmap_len && i < c->nr_streams; i++) {
		const struct capture_stream *s = &c->streams[i];

		if (s->end - s->begin >= 2 * piece_bytes && is_foreign(t, s))
			rc = plan_stream(p, c, (uint32_t)i, piece_bytes, model);
	}
	return rc;
}

bool parallel_scan_have(const struct parallel_scan *p, uint32_t stream)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->items[i].stream == stream)
			return true;
	return false;
}

/* --- cutting --- */

static int add_chunk(struct piece *p, struct memory *memory, const struct chunk *chunk)
{
	struct chunk *grown;

	if (p->nr == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		grown = memory_resize(memory, p->chunks, p->cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		p->chunks = grown;
	}
	p->chunks[p->nr++] = *chunk;
	return 0;
}

static int take_range(struct piece *p, const struct chunk_table *t,
		      const struct range_layout *layout, struct chunk *chunk,
		      struct chunk_buffer *buf)
{
	struct chunk_damage damage;
	int rc = chunk_contents_read(t, layout, chunk, &p->counts, buf, &damage);

	progress_add(t->capture->progress, chunk->bytes);
	if (rc == RANGE_SCAN_DAMAGE)
		rc = damage_add(&p->damage, &damage);
	if (!rc)
		rc = add_chunk(p, t->capture->memory, chunk);
	if (rc)
		memory_free((void *)(uintptr_t)chunk->inflated);
	return rc;
}

void piece_cut(struct piece *p, const struct chunk_table *t, const struct range_layout *layout,
	       struct chunk_buffer *buf)
{
	struct chunk_damage damage;
	struct chunk chunk;
	struct range_scan scan;
	int found;

	range_scan_init(&scan, t->capture, p->stream, &p->counts);
	scan.at = p->begin;
	scan.limit = p->limit;
	scan.has_left_grid = (p->begin - t->capture->streams[p->stream].begin) % 8;
	do {
		found = range_scan_next(&scan, &chunk, &damage);
		if (found == RANGE_SCAN_CHUNK)
			p->rc = take_range(p, t, layout, &chunk, buf);
		else if (found == RANGE_SCAN_DAMAGE)
			p->rc = damage_add(&p->damage, &damage);
		else if (found < 0)
			p->rc = found;
		if (scan.is_inflating) /* inflating cannot begin in the middle of the frame */
			scan.limit = t->capture->streams[p->stream].end;
	} while (!p->rc && found != RANGE_SCAN_END && (scan.at < scan.limit || scan.is_inflating) &&
		 !progress_is_stopped(t->capture->progress));
	/* The end lies behind an incomplete last record, too. */
	p->end = found == RANGE_SCAN_END ? t->capture->streams[p->stream].end : scan.at;
	chunk_note_read(t, p->end - p->begin);
	range_scan_release(&scan);
}

/* --- joining --- */

static void clear_counts(struct chunk_counts *c)
{
	uint64_t *samples = c->event_samples, *lost = c->event_lost;
	struct chunk_counts empty = {.is_full = c->is_full,
				     .selection = c->selection,
				     .nr_events = c->nr_events,
				     .event_samples = samples,
				     .event_lost = lost};

	memset(samples, 0, (c->nr_events + 1) * sizeof(*samples));
	memset(lost, 0, (c->nr_events + 1) * sizeof(*lost));
	*c = empty;
}

static void drop_piece(struct piece *p)
{
	for (size_t i = 0; i < p->nr; i++)
		memory_free((void *)(uintptr_t)p->chunks[i].inflated);
	p->nr = 0;
	damage_release(&p->damage);
	clear_counts(&p->counts);
}

static int add_all(struct piece *p, struct chunk_table *t, size_t *cap, struct chunk_counts *counts)
{
	size_t nr = t->nr + p->nr;
	struct chunk *grown;

	if (nr > *cap) {
		*cap = ts_max(2 * *cap, nr);
		grown = memory_resize(t->capture->memory, t->chunks, *cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		t->chunks = grown;
	}
	if (p->nr)
		memcpy(t->chunks + t->nr, p->chunks, p->nr * sizeof(*p->chunks));
	t->nr = nr;
	p->nr = 0; /* the table owns the inflated records now */
	chunk_counts_add(counts, &p->counts);
	return damage_merge(&t->damage, &p->damage);
}

/*
 * After a stop some pieces were not cut. Such a piece is not joined, and neither are those behind
 * it.
 */
int parallel_scan_join(struct parallel_scan *p, struct chunk_table *t, size_t *cap,
		       const struct range_layout *layout, struct chunk_counts *counts)
{
	struct chunk_buffer buf = {0};
	uint64_t at = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->nr; i++) {
		struct piece *piece = &p->items[i];

		if (!i || piece->stream != p->items[i - 1].stream)
			at = piece->begin;
		if (at >= piece->limit || progress_is_stopped(t->capture->progress)) {
			if (at != piece->begin || !piece->end)
				continue;
		} else if (at != piece->begin) {
			drop_piece(piece);
			piece->begin = at;
			piece_cut(piece, t, layout, &buf);
		}
		rc = piece->rc ? piece->rc : add_all(piece, t, cap, counts);
		at = piece->end;
	}
	chunk_buffer_release(&buf);
	return rc;
}

void parallel_scan_release(struct parallel_scan *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		drop_piece(&p->items[i]);
		memory_free(p->items[i].chunks);
		chunk_counts_release(&p->items[i].counts);
	}
	free(p->items);
	*p = (struct parallel_scan){0};
}
