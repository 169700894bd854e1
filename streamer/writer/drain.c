// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/drain.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "streamer/rings/ring_backward.h"
#include "streamer/writer/drain_chunk.h"
#include "streamer/writer/drain_cut.h"

/* All memory for compressing is on the memory nodes of the writer, like the copy buffers. */
static int prepare_compression(struct drain *d, int level, struct ts_error *err)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = ts_compressor_bytes(level);

	d->compresses = true;
	d->raw = buffer_map_memory(d->pool);
	if (!d->raw)
		return ts_error_sys(err, ENOMEM, "cannot allocate a copy buffer for compression");
	d->workspace_bytes = (bytes + page_bytes - 1) & ~(page_bytes - 1);
	if (bytes)
		d->workspace = memory_place_map(&d->pool->place, d->workspace_bytes);
	if (bytes && !d->workspace)
		return ts_error_sys(err, ENOMEM, "cannot allocate %zu bytes for compression",
				    bytes);
	return ts_compressor_init_in(&d->compressor, level, d->workspace, err);
}

static int prepare_cuts(struct drain *d, struct ts_error *err)
{
	d->split = buffer_map_memory(d->pool);
	return d->split ? 0 : ts_error_sys(err, ENOMEM, "cannot allocate a copy buffer for cuts");
}

/* memset, not calloc: their pages are touched now, not by the first chunks. */
static int make_rings(struct drain *d, const struct drain_plan *plan, struct ts_error *err)
{
	size_t nr_sides = plan->has_cuts ? DRAIN_SIDES : 1;
	size_t ring_bytes = (plan->nr_rings + 1) * sizeof(*d->rings);
	size_t timeline_bytes = (plan->nr_rings + 1) * nr_sides * sizeof(*d->timelines);

	d->rings = aligned_alloc(TS_CACHE_LINE, ring_bytes);
	d->timelines = malloc(timeline_bytes);
	if (!d->rings || !d->timelines)
		return ts_error_sys(err, ENOMEM, "cannot prepare %zu rings", plan->nr_rings);
	memset(d->rings, 0, ring_bytes);
	memset(d->timelines, 0, timeline_bytes);
	d->nr_rings = plan->nr_rings;
	for (size_t i = 0; i < d->nr_rings; i++) {
		d->rings[i].ring = plan->rings[i];
		d->rings[i].kind = ring_kind_of(plan->rings[i]);
		for (size_t side = 0; side < nr_sides; side++)
			d->rings[i].timelines[side] = &d->timelines[i * nr_sides + side];
		if (plan->rings[i]->map_bytes || plan->rings[i]->fed.is_on)
			drain_admit(d, i);
	}
	return 0;
}

int drain_init(struct drain *d, const struct drain_plan *plan, struct ts_error *err)
{
	int rc;

	memset(d, 0, sizeof(*d));
	d->pool = plan->pool;
	d->clock = plan->clock;
	d->own_pid = plan->own_pid;
	d->gap = plan->gap;
	ts_stream_init(&d->sides[0].stream, plan->uuid, 0, plan->align);
	rc = make_rings(d, plan, err);
	if (rc == 0 && plan->compression_level)
		rc = prepare_compression(d, plan->compression_level, err);
	if (rc == 0 && plan->has_cuts)
		rc = prepare_cuts(d, err);
	if (rc < 0)
		drain_release(d);
	return rc;
}

void drain_release(struct drain *d)
{
	ts_compressor_release(&d->compressor);
	if (d->raw)
		munmap(d->raw, d->pool->buffer_bytes);
	if (d->split)
		munmap(d->split, d->pool->buffer_bytes);
	if (d->workspace)
		munmap(d->workspace, d->workspace_bytes);
	free(d->timelines);
	free(d->rings);
	d->timelines = NULL;
	d->raw = d->split = NULL;
	d->workspace = NULL;
	d->rings = NULL;
	d->nr_rings = 0;
}

void drain_admit(struct drain *d, size_t ring)
{
	struct drain_ring *r = &d->rings[ring];

	r->is_there = true;
	r->kind = ring_kind_of(r->ring); /* its id came with its mapping */
	r->target_pos = r->ring->tail_pos;
}

/* A dump is always taken completely. */
static bool is_aimed_at(const struct drain_ring *r)
{
	return r->kind->is_dumped || (int64_t)(r->target_pos - r->ring->tail_pos) > 0;
}

void drain_aim(struct drain *d, bool last)
{
	for (size_t i = 0; i < d->nr_rings; i++) {
		struct drain_ring *r = &d->rings[i];
		uint64_t pending = r->is_there ? r->kind->pending(r->ring) : RING_BROKEN;

		if (pending != RING_BROKEN && !r->kind->is_dumped)
			r->target_pos = r->ring->tail_pos + pending;
	}
	if (last)
		d->only_targets = true;
}

static void dump_ring(struct drain *d, struct drain_ring *r, bool resumes)
{
	struct drain_counters *n = &r->counters[d->side];
	int code = ring_dump(r->ring, d->cut_ns && resumes ? d->cut_ns : TS_TIME_NEVER, resumes);

	r->owes_dump = false;
	if (code == 0 && resumes)
		ts_counter_max(&n->paused_max_ns, r->ring->past.paused_ns);
	if (code == 0)
		return;
	r->is_broken = true;
	if (!d->error.code)
		ts_error_sys(&d->error, -code, "cannot pause the ring of CPU %u", r->ring->id.cpu);
}

void drain_dump(struct drain *d, bool resumes)
{
	for (size_t i = 0; i < d->nr_rings; i++) {
		struct drain_ring *r = &d->rings[i];

		if (!r->is_there || r->is_broken || !r->kind->is_dumped)
			continue;
		if (ring_dump_pending(r->ring)) /* happens only at the end of a failed recording */
			r->owes_dump = true;
		else
			dump_ring(d, r, resumes);
	}
}

/*
 * Less than the watermark: while the writer is awake it also serves rings that have not reached
 * their watermark yet. That saves wake-ups.
 */
static uint64_t enough_bytes(const struct ring *r)
{
	return r->size_bytes / 16;
}

/*
 * A ring that is nearly full may be losing records already. The disk is the cause if no buffer was
 * free. Compressing is the cause if the ring was not nearly full before a chunk was compressed.
 */
static void note_fill(struct drain *d, struct drain_ring *r, uint64_t pending)
{
	bool is_high = pending > r->ring->size_bytes / 4 * 3;

	ts_counter_max(&r->counters[d->side].fill_max_bytes, pending);
	if (is_high && d->is_starved)
		r->late_now = TS_LOSS_DISK;
	else if (is_high && !r->is_high && d->has_compressed && r->late_now == TS_LOSS_NONE)
		r->late_now = TS_LOSS_COMPRESSION;
	r->is_high = is_high;
}

/* Its losses cost names and maps of all later samples. So it is drained before any other ring. */
static bool is_urgent(const struct drain_ring *r, uint64_t pending)
{
	return r->ring->id.kind == TS_RING_SIDEBAND &&
	       pending >= ring_sideband_watermark_bytes(r->ring->size_bytes);
}

/*
 * The rank of a ring among those that have enough: the part of it that is filled. A ring that was
 * aimed at goes before any ring that is not half full, so a flush ends under any load. Side-band at
 * its watermark goes before all others.
 */
static uint64_t rank_of(const struct drain_ring *r, uint64_t pending)
{
	uint64_t rank = pending * 1024 / r->ring->size_bytes + 1;

	if (is_aimed_at(r))
		rank += 512;
	if (is_urgent(r, pending))
		rank += 4096;
	return rank;
}

/* Notes what a look at a ring finds. False: it has nothing to be taken now. */
static bool look_at(struct drain *d, struct drain_ring *r, uint64_t *ret_pending)
{
	uint64_t pending;

	if (r->is_broken || !r->is_there)
		return false;
	pending = r->kind->pending(r->ring);
	if (!pending && r->owes_dump) {
		dump_ring(d, r, false);
		pending = r->kind->pending(r->ring);
	}
	if (pending == RING_BROKEN) {
		drain_chunk_break_ring(d, r);
		return false;
	}
	if (!r->kind->is_dumped)
		note_fill(d, r, pending);
	*ret_pending = pending;
	return pending &&
	       (is_aimed_at(r) || (!d->only_targets && pending >= enough_bytes(r->ring)));
}

static struct drain_ring *choose_ring(struct drain *d)
{
	struct drain_ring *best = NULL;
	uint64_t best_rank = 0, pending;

	for (size_t i = 0; i < d->nr_rings; i++) {
		struct drain_ring *r = &d->rings[i];
		uint64_t rank = look_at(d, r, &pending) ? rank_of(r, pending) : 0;

		if (rank > best_rank) {
			best_rank = rank;
			best = r;
		}
	}
	d->has_compressed = false;
	return best;
}

static enum drain_step drain_one(struct drain *d, struct drain_ring *r)
{
	struct drain_side *side = &d->sides[d->side];
	bool compresses;
	uint8_t *to;
	size_t len;

	d->is_starved = !drain_chunk_ensure_block(d, side, r);
	if (d->is_starved)
		return DRAIN_NO_BUFFER;
	compresses = drain_chunk_compresses(d, r);
	to = compresses ? d->raw : ts_stream_payload(&side->stream);
	len = drain_chunk_copy(d, r, to, ts_stream_room(&side->stream));
	if (len)
		drain_chunk_make(d, side, r, to, len, compresses);
	drain_chunk_forget_fill(r);
	return DRAIN_TOOK;
}

enum drain_step drain_step(struct drain *d)
{
	struct drain_ring *r = choose_ring(d);

	if (!r)
		return DRAIN_NOTHING;
	return d->cut_ns ? drain_cut_step(d, r) : drain_one(d, r);
}

void drain_end_block(struct drain *d)
{
	for (size_t i = 0; i < DRAIN_SIDES; i++)
		drain_chunk_end_block(d, &d->sides[i]);
}

void drain_finish(struct drain *d)
{
	struct drain_side *side = &d->sides[d->side];
	bool has_room = drain_chunk_begin_block(d, side);
	struct buffer *b = side->filling;

	assert(has_room);
	(void)has_room;
	side->filling = NULL;
	b->len = ts_stream_finish(&side->stream);
	b->offset = side->stream.block_offset;
	b->ends_stream = true;
	buffer_queue(d->pool, b);
}

void drain_end_cut(struct drain *d)
{
	drain_chunk_end_block(d, &d->sides[d->side]);
	drain_finish(d);
	d->side = !d->side;
	d->cut_ns = 0;
}
