// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/drain.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/perf/lengthened.h"
#include "streamer/rings/record_walk.h"
#include "streamer/rings/ring_backward.h"

/* A block with less room than the largest record is full. */
#define ROOM_MIN TS_RECORD_MAX_BYTES

/* All that compressing reads and writes lies where the writer runs, as the copy buffers do. */
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

int drain_init(struct drain *d, const struct drain_plan *plan, struct ts_error *err)
{
	size_t i, nr_sides = plan->has_cuts ? DRAIN_SIDES : 1;
	int rc;

	memset(d, 0, sizeof(*d));
	d->pool = plan->pool;
	d->clock = plan->clock;
	d->own_pid = plan->own_pid;
	d->rings = aligned_alloc(TS_CACHE_LINE, (plan->nr_rings + 1) * sizeof(*d->rings));
	if (!d->rings)
		return ts_error_sys(err, ENOMEM, "cannot prepare %zu rings", plan->nr_rings);
	memset(d->rings, 0, (plan->nr_rings + 1) * sizeof(*d->rings));
	d->timelines = malloc((plan->nr_rings + 1) * nr_sides * sizeof(*d->timelines));
	if (!d->timelines) {
		rc = ts_error_sys(err, ENOMEM, "cannot prepare %zu rings", plan->nr_rings);
		goto fail;
	}
	/* touched */
	memset(d->timelines, 0, (plan->nr_rings + 1) * nr_sides * sizeof(*d->timelines));
	d->nr_rings = plan->nr_rings;
	for (i = 0; i < d->nr_rings; i++) {
		d->rings[i].ring = plan->rings[i];
		for (size_t side = 0; side < nr_sides; side++)
			d->rings[i].timelines[side] = &d->timelines[i * nr_sides + side];
		if (plan->rings[i]->map_bytes)
			drain_admit(d, i);
	}
	ts_stream_init(&d->sides[0].stream, plan->uuid, 0, plan->align);
	rc = plan->compression_level ? prepare_compression(d, plan->compression_level, err) : 0;
	if (rc == 0 && plan->has_cuts)
		rc = prepare_cuts(d, err);
	if (rc == 0)
		return 0;
fail:
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
	r->target_pos = r->ring->tail_pos;
}

static void break_ring(struct drain *d, struct drain_ring *r)
{
	r->is_broken = true;
	if (d->error.code)
		return;
	ts_error_set(&d->error, EBADMSG,
		     "cannot read the ring of CPU %u at position %llu: its head or a record there "
		     "is impossible",
		     r->ring->id.cpu, (unsigned long long)r->ring->tail_pos);
}

/* Bytes that may be copied; RING_BROKEN: its head cannot be. */
static uint64_t pending_in(const struct drain_ring *r)
{
	return ring_is_backward(r->ring) ? ring_dump_pending(r->ring) : ring_pending(r->ring);
}

/*
 * Behind several recorders the kernel lengthens records of side-band (common/perf/lengthened.h). They are mended
 * here, in our copy, so that nothing behind sees another time or id than theirs.
 */
static enum ring_copied copy_out(struct drain_ring *r, void *dst, size_t room, size_t *ret_bytes)
{
	enum ring_copied copied;

	if (ring_is_backward(r->ring))
		return ring_dump_copy(r->ring, dst, room, ret_bytes);
	copied = ring_copy(r->ring, dst, room, ret_bytes);
	if (copied == RING_COPY_DONE && r->ring->id.kind == TS_RING_SIDEBAND)
		ts_records_mend(dst, *ret_bytes, WALK_TRAILER_BYTES);
	return copied;
}

/* A dump is to be taken as a whole. */
static bool is_aimed_at(const struct drain_ring *r)
{
	if (ring_is_backward(r->ring))
		return true;
	return (int64_t)(r->target_pos - r->ring->tail_pos) > 0;
}

void drain_aim(struct drain *d, bool last)
{
	size_t i;

	for (i = 0; i < d->nr_rings; i++) {
		struct drain_ring *r = &d->rings[i];
		uint64_t pending = r->is_there ? pending_in(r) : RING_BROKEN;

		if (pending != RING_BROKEN && !ring_is_backward(r->ring))
			r->target_pos = r->ring->tail_pos + pending;
	}
	if (last)
		d->only_targets = true;
}

static void dump(struct drain *d, struct drain_ring *r, bool resumes)
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

		if (!r->is_there || r->is_broken || !ring_is_backward(r->ring))
			continue;
		if (ring_dump_pending(r->ring)) /* only at the end of a recording that failed */
			r->owes_dump = true;
		else
			dump(d, r, resumes);
	}
}

/* Half of what wakes us: a ring that nears its watermark while we are awake saves a wake-up. */
static uint64_t enough(const struct ring *r)
{
	return r->size_bytes / 16;
}

/*
 * A ring that is nearly full may be losing records already. It is the disk's fault where no buffer
 * was free, and that of compressing where it was not nearly full before we compressed.
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

/*
 * The ring with the largest part of it filled, of those that have enough. What was aimed at goes
 * before a ring that is not half full, so that a flush ends under any load.
 */
static struct drain_ring *choose_ring(struct drain *d)
{
	struct drain_ring *best = NULL;
	uint64_t best_fill = 0;
	size_t i;

	for (i = 0; i < d->nr_rings; i++) {
		struct drain_ring *r = &d->rings[i];
		uint64_t pending, fill;

		if (r->is_broken || !r->is_there)
			continue;
		pending = pending_in(r);
		if (!pending && r->owes_dump) {
			dump(d, r, false);
			pending = pending_in(r);
		}
		if (pending == RING_BROKEN) {
			break_ring(d, r);
			continue;
		}
		if (!ring_is_backward(r->ring))
			note_fill(d, r, pending);
		else if (!pending)
			continue;
		if (!is_aimed_at(r) && (d->only_targets || pending < enough(r->ring)))
			continue;
		fill = pending * 1024 / r->ring->size_bytes + 1;
		if (is_aimed_at(r))
			fill += 512;
		if (fill > best_fill) {
			best_fill = fill;
			best = r;
		}
	}
	d->has_compressed = false;
	return best;
}

static void end_block(struct drain *d, struct drain_side *s)
{
	struct buffer *b = s->filling;

	if (!b)
		return;
	s->filling = NULL;
	b->len = ts_stream_end_block(&s->stream);
	b->offset = s->stream.block_offset;
	if (b->len)
		buffer_queue(d->pool, b);
	else
		buffer_free(d->pool, b);
}

static bool begin_block(struct drain *d, struct drain_side *s)
{
	s->filling = buffer_take(d->pool);
	if (!s->filling)
		return false;
	s->filling->side = (uint8_t)(s - d->sides);
	s->filling->ends_stream = false;
	ts_stream_begin_block(&s->stream, s->filling->data, d->pool->buffer_bytes);
	return true;
}

/* Makes sure that a block of the side is being filled that has room for any record. */
static bool ensure_block(struct drain *d, struct drain_side *s)
{
	if (s->filling &&
	    (ts_stream_room(&s->stream) < ROOM_MIN || s->filling->nr_chunks == BUFFER_CHUNKS_MAX))
		end_block(d, s);
	return s->filling || begin_block(d, s);
}

/*
 * Why the records were lost of which the chunk tells. The kernel tells of a loss with the next
 * record that fits, so it comes to light one drain after the one that made room: what filled the
 * ring up before either of the two is the cause.
 */
static enum ts_loss_cause cause_of_loss(const struct drain_ring *r)
{
	if (ring_is_backward(r->ring))
		return TS_LOSS_PAUSED;
	if (r->late_now == TS_LOSS_DISK || r->late_before == TS_LOSS_DISK)
		return TS_LOSS_DISK;
	if (r->late_now != TS_LOSS_NONE || r->late_before != TS_LOSS_NONE)
		return TS_LOSS_COMPRESSION;
	return TS_LOSS_RING_FULL;
}

static void count_times(struct drain_counters *n, const struct walk *w)
{
	uint64_t min_ns = ts_counter_read(&n->time_min_ns);

	if (w->time_min_ns && (!min_ns || w->time_min_ns < min_ns))
		ts_counter_set(&n->time_min_ns, w->time_min_ns);
	ts_counter_max(&n->time_max_ns, w->time_max_ns);
}

static void count_chunk(struct drain *d, struct drain_side *side, struct drain_ring *r,
			const struct walk *w, const struct ts_chunk *c)
{
	struct drain_counters *n = &r->counters[side - d->sides];

	buffer_mark(side->filling, side->stream.used, w->nr_records, w->nr_samples);
	ts_counter_add(&n->records, w->nr_records);
	ts_counter_add(&n->samples, w->nr_samples);
	ts_counter_add(&n->own_samples, w->nr_own);
	d->nr_samples += w->nr_samples;
	d->nr_own += w->nr_own;
	ts_counter_add(&n->raw_bytes, c->raw_bytes);
	ts_counter_add(&n->chunks, 1);
	ts_counter_add(&n->throttles, w->throttles);
	ts_counter_add(&n->lost_samples, w->lost_samples);
	ts_counter_add(&n->lost, w->lost);
	count_times(n, w);
	if (c->lost_cause == TS_LOSS_DISK)
		ts_counter_add(&n->lost_disk, w->lost);
	if (c->lost_cause == TS_LOSS_COMPRESSION)
		ts_counter_add(&n->lost_compression, w->lost);
}

/* How long the oldest of them has waited, from the event to our copy. */
static void note_lag(struct drain *d, uint64_t oldest_ns)
{
	uint64_t now_ns;

	if (d->clock == DRAIN_NO_CLOCK || !oldest_ns)
		return;
	now_ns = ts_clock_ns(d->clock);
	ts_histogram_add(&d->lag, now_ns > oldest_ns ? now_ns - oldest_ns : 0);
}

/*
 * Whether the next chunk of the ring is to be compressed. A ring that is more than half full has
 * filled up while we were away or at work: it costs less to write it plain than to be late again.
 */
static bool compresses_now(struct drain *d, const struct drain_ring *r)
{
	uint64_t pending;

	if (!d->compresses || ring_is_backward(r->ring))
		return d->compresses;
	pending = ring_pending(r->ring);
	return pending == RING_BROKEN || pending <= r->ring->size_bytes / 2;
}

static size_t compress(struct drain *d, struct drain_side *side, const uint8_t *records, size_t len)
{
	uint64_t start_ns = ts_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	size_t bytes = ts_compress(&d->compressor, records, len, ts_stream_payload(&side->stream));

	ts_counter_add(&side->compress_ns, ts_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns);
	d->has_compressed = true;
	return bytes;
}

/* The first chunk of a dump says what was overwritten before it. */
static void describe_past(struct drain_ring *r, const struct walk *w, struct drain_counters *n,
			  struct ts_chunk *c)
{
	struct ring_past *past = &r->ring->past;

	c->flags |= TS_CHUNK_BACKWARD;
	if (past->overwritten_bytes && w->time_min_ns) {
		c->span_min_ns = ts_min(r->kept_until_ns, w->time_min_ns);
		c->span_max_ns = w->time_min_ns;
		ts_counter_add(&n->overwritten_bytes, past->overwritten_bytes);
		past->overwritten_bytes = 0;
	}
	r->kept_until_ns = ts_max(r->kept_until_ns, w->time_max_ns);
}

/*
 * The records are out of the ring: they become a chunk now, whatever they are. Those that are not to
 * be compressed may lie where the chunk has them.
 */
static void make_chunk(struct drain *d, struct drain_side *side, struct drain_ring *r,
		       const uint8_t *records, size_t len, bool compresses)
{
	struct ts_chunk c = {
		.ring = r->ring->id.number,
		.cpu = r->ring->id.cpu,
		.kind = r->ring->id.kind,
		.flags = r->ring->id.kind == TS_RING_SIDEBAND ? TS_CHUNK_MENDED : 0,
		.payload_bytes = len,
		.raw_bytes = len,
	};
	struct walk w;
	size_t bad;

	if (!walk_records(records, len, d->own_pid, &w, &bad)) {
		break_ring(d, r);
		c.payload_bytes = c.raw_bytes = len = bad;
		if (len == 0)
			return;
	}
	if (ring_is_backward(r->ring))
		describe_past(r, &w, &r->counters[side - d->sides], &c);
	else
		note_lag(d, w.time_min_ns);
	c.nr_records = w.nr_records;
	c.time_min_ns = w.time_min_ns;
	c.time_max_ns = w.time_max_ns;
	c.lost = w.lost; /* what LOST_SAMPLES tells the hardware lost, not the ring */
	if (c.lost) {
		c.flags |= TS_CHUNK_AFTER_LOSS;
		c.lost_cause = cause_of_loss(r);
	}
	if (compresses) {
		c.payload_bytes = compress(d, side, records, len);
		c.flags |= TS_CHUNK_COMPRESSED;
	} else {
		if (records != ts_stream_payload(&side->stream))
			memcpy(ts_stream_payload(&side->stream), records, len);
		if (d->compresses)
			ts_counter_add(&side->plain_bytes, len);
	}
	ts_stream_end_chunk(&side->stream, &c);
	ts_timeline_chunk(r->timelines[side - d->sides], &c);
	count_chunk(d, side, r, &w, &c);
}

/* What filled the ring up is told with this drain of it, or the next. */
static void forget_fill(struct drain_ring *r)
{
	r->late_before = r->late_now;
	r->late_now = TS_LOSS_NONE;
	r->is_high = false;
}

/*
 * Moves the records from the cut on to `later` and the others together, each in their order. A record
 * that tells no time stays with the one before it; what cannot be a record, with those before the cut.
 * Returns the bytes of the former; *len becomes those of the latter.
 */
static size_t split_records(uint64_t cut_ns, uint8_t *records, size_t *len, uint8_t *later)
{
	size_t from = 0, kept = 0, moved = 0;
	bool is_later = false;

	while (*len - from >= sizeof(struct perf_event_header)) {
		struct perf_event_header hdr;
		uint64_t time_ns;

		memcpy(&hdr, records + from, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > *len - from)
			break;
		time_ns = walk_record_time(records + from);
		if (time_ns)
			is_later = time_ns >= cut_ns;
		if (is_later) {
			memcpy(later + moved, records + from, hdr.size);
			moved += hdr.size;
		} else {
			memmove(records + kept, records + from, hdr.size);
			kept += hdr.size;
		}
		from += hdr.size;
	}
	memmove(records + kept, records + from, *len - from);
	*len = kept + *len - from;
	return moved;
}

/* The same as drain_one(), of a ring that may have records from before the cut and from behind it. */
static enum drain_step drain_across(struct drain *d, struct drain_ring *r)
{
	struct drain_side *old = &d->sides[d->side], *new = &d->sides[!d->side];
	bool compresses = compresses_now(d, r);
	size_t len, room, moved;
	uint8_t *later;

	d->is_starved = !ensure_block(d, old) || !ensure_block(d, new);
	if (d->is_starved)
		return DRAIN_NO_BUFFER;
	room = ts_min(ts_stream_room(&old->stream), ts_stream_room(&new->stream));
	later = compresses ? d->raw : ts_stream_payload(&new->stream);
	switch (copy_out(r, d->split, room, &len)) {
	case RING_COPY_DONE:
		moved = split_records(d->cut_ns, d->split, &len, later);
		if (len)
			make_chunk(d, old, r, d->split, len, compresses);
		if (moved)
			make_chunk(d, new, r, later, moved, compresses);
		forget_fill(r);
		break;
	case RING_COPY_EMPTY:
		break;
	case RING_COPY_NO_ROOM:
	case RING_COPY_BROKEN:
		break_ring(d, r);
		break;
	}
	return DRAIN_TOOK;
}

static enum drain_step drain_one(struct drain *d, struct drain_ring *r)
{
	struct drain_side *side = &d->sides[d->side];
	bool compresses;
	uint8_t *to;
	size_t len;

	d->is_starved = !ensure_block(d, side);
	if (d->is_starved)
		return DRAIN_NO_BUFFER;
	compresses = compresses_now(d, r);
	to = compresses ? d->raw : ts_stream_payload(&side->stream);
	switch (copy_out(r, to, ts_stream_room(&side->stream), &len)) {
	case RING_COPY_DONE:
		make_chunk(d, side, r, to, len, compresses);
		forget_fill(r);
		break;
	case RING_COPY_EMPTY:
		break;
	case RING_COPY_NO_ROOM: /* in room for any record: it is none */
	case RING_COPY_BROKEN:
		break_ring(d, r);
		break;
	}
	return DRAIN_TOOK;
}

enum drain_step drain_step(struct drain *d)
{
	struct drain_ring *r = choose_ring(d);

	if (!r)
		return DRAIN_NOTHING;
	return d->cut_ns ? drain_across(d, r) : drain_one(d, r);
}

void drain_end_block(struct drain *d)
{
	for (size_t i = 0; i < DRAIN_SIDES; i++)
		end_block(d, &d->sides[i]);
}

void drain_finish(struct drain *d)
{
	struct drain_side *side = &d->sides[d->side];
	bool has_room = begin_block(d, side);
	struct buffer *b = side->filling;

	assert(has_room);
	(void)has_room;
	side->filling = NULL;
	b->len = ts_stream_finish(&side->stream);
	b->offset = side->stream.block_offset;
	b->ends_stream = true;
	buffer_queue(d->pool, b);
}

/* --- cuts --- */

void drain_begin_cut(struct drain *d, uint64_t time_ns, uint32_t cut, size_t align)
{
	size_t other = !d->side;

	assert(d->split && !d->cut_ns && !d->sides[other].filling);
	ts_stream_init(&d->sides[other].stream, d->sides[d->side].stream.uuid, cut, align);
	ts_counter_set(&d->sides[other].plain_bytes, 0);
	ts_counter_set(&d->sides[other].compress_ns, 0);
	for (size_t i = 0; i < d->nr_rings; i++) {
		memset(&d->rings[i].counters[other], 0, sizeof(d->rings[i].counters[other]));
		memset(d->rings[i].timelines[other], 0, sizeof(struct ts_timeline));
	}
	d->cut_ns = time_ns;
}

void drain_end_cut(struct drain *d)
{
	end_block(d, &d->sides[d->side]);
	drain_finish(d);
	d->side = !d->side;
	d->cut_ns = 0;
}
