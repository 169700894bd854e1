// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/drain_chunk.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "streamer/rings/record_walk.h"

/* A record of side-band has at most so many bytes: those of a map, a path and a trailer. */
#define SIDEBAND_RECORD_MAX (4096 + 256)

/* A block is full if it has less room than the largest record needs. */
#define ROOM_MIN TS_RECORD_MAX_BYTES

void drain_chunk_break_ring(struct drain *d, struct drain_ring *r)
{
	r->is_broken = true;
	if (d->error.code)
		return;
	ts_error_set(&d->error, EBADMSG,
		     "cannot read the ring of CPU %u at position %llu: its head or a record there "
		     "is invalid",
		     r->ring->id.cpu, (unsigned long long)r->ring->tail_pos);
}

void drain_chunk_end_block(struct drain *d, struct drain_side *s)
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

/* One block is being filled, within a cut two: one more buffer must come back from the disk. */
static bool keeps_one(const struct drain *d)
{
	return d->pool->nr > (d->split ? 3 : 2);
}

bool drain_chunk_begin_block(struct drain *d, struct drain_side *s)
{
	s->filling = buffer_take(d->pool);
	if (!s->filling)
		return false;
	s->filling->side = (uint8_t)(s - d->sides);
	s->filling->ends_stream = false;
	s->filling->is_last = keeps_one(d) && !d->pool->nr_free;
	ts_stream_begin_block(&s->stream, s->filling->data, d->pool->buffer_bytes);
	return true;
}

bool drain_chunk_ensure_block(struct drain *d, struct drain_side *s, const struct drain_ring *r)
{
	bool keeps = keeps_one(d) && r->ring->id.kind != TS_RING_SIDEBAND;

	if (s->filling &&
	    (ts_stream_room(&s->stream) < ROOM_MIN || s->filling->nr_chunks == BUFFER_CHUNKS_MAX))
		drain_chunk_end_block(d, s);
	d->nr_wanted = s->filling ? keeps && s->filling->is_last : 1u + keeps;
	if (d->pool->nr_free < d->nr_wanted)
		return false;
	return s->filling || drain_chunk_begin_block(d, s);
}

/*
 * The cause of the losses that the chunk reports. The kernel reports a loss with the next record
 * that fits. So the report arrives one drain after the drain that made room. A cause noted before
 * either of these two drains is the cause of the loss.
 */
static enum ts_loss_cause cause_of_loss(const struct drain_ring *r)
{
	if (r->kind->is_dumped)
		return TS_LOSS_PAUSED;
	if (r->late_now == TS_LOSS_DISK || r->late_before == TS_LOSS_DISK)
		return TS_LOSS_DISK;
	if (r->late_now != TS_LOSS_NONE || r->late_before != TS_LOSS_NONE)
		return TS_LOSS_COMPRESSION;
	return TS_LOSS_RING_FULL;
}

static void count_times(struct drain_counters *n, const struct record_walk *w)
{
	uint64_t min_ns = ts_counter_read(&n->time_min_ns);

	if (w->time_min_ns && (!min_ns || w->time_min_ns < min_ns))
		ts_counter_set(&n->time_min_ns, w->time_min_ns);
	ts_counter_max(&n->time_max_ns, w->time_max_ns);
}

static void count_chunk(struct drain *d, struct drain_side *side, struct drain_ring *r,
			const struct record_walk *w, const struct ts_chunk *c)
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

/* Notes how long the oldest record of the chunk has waited, from the event to our copy. */
static void note_lag(struct drain *d, uint64_t oldest_ns)
{
	uint64_t now_ns;

	if (d->clock == DRAIN_NO_CLOCK || !oldest_ns)
		return;
	now_ns = ts_clock_ns(d->clock);
	histogram_add(&d->lag, now_ns > oldest_ns ? now_ns - oldest_ns : 0);
}

bool drain_chunk_compresses(struct drain *d, const struct drain_ring *r)
{
	uint64_t pending;

	if (!d->compresses || r->kind->is_dumped)
		return d->compresses;
	pending = r->kind->pending(r->ring);
	return pending == RING_BROKEN || pending <= r->ring->size_bytes / 2;
}

static size_t compress_records(struct drain *d, struct drain_side *side, const uint8_t *records,
			       size_t len)
{
	uint64_t start_ns = ts_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	size_t bytes = ts_compress(&d->compressor, records, len, ts_stream_payload(&side->stream));

	ts_counter_add(&side->compress_ns, ts_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns);
	d->has_compressed = true;
	return bytes;
}

/* The first chunk of a dump states the time span that was overwritten before it. */
static void describe_past(struct drain_ring *r, const struct record_walk *w,
			  struct drain_counters *n, struct ts_chunk *c)
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

/* Names and maps are whole up to the last record before the loss. */
static void report_gap(struct drain *d, const struct drain_ring *r, const struct record_walk *w,
		       uint64_t before_ns)
{
	uint64_t since_ns = w->lost ? w->lost_after_ns : w->time_max_ns;

	if (d->gap && r->ring->id.kind == TS_RING_SIDEBAND && (w->lost || r->was_full))
		sideband_gap_report(d->gap, since_ns ? since_ns : before_ns);
}

/* `copied`: with the records that the copy left out. */
static bool was_full(const struct drain_ring *r, uint64_t copied)
{
	return r->ring->id.kind == TS_RING_SIDEBAND && !r->ring->fed.is_on &&
	       copied + r->kind->pending(r->ring) + SIDEBAND_RECORD_MAX >= r->ring->size_bytes;
}

size_t drain_chunk_copy(struct drain *d, struct drain_ring *r, uint8_t *dst, size_t room)
{
	static const struct record_walk nothing;
	uint64_t from_pos = r->ring->tail_pos;
	size_t len = 0;
	enum ring_copied copied = r->kind->copy(r->ring, dst, room, &len);

	/* The room fits any record, so what has no room is no record. */
	if (copied == RING_COPY_NO_ROOM || copied == RING_COPY_BROKEN) {
		drain_chunk_break_ring(d, r);
		return 0;
	}
	r->was_full = was_full(r, r->ring->tail_pos - from_pos);
	if (!len)
		report_gap(d, r, &nothing, ts_counter_read(&r->counters[d->side].time_max_ns));
	return len;
}

static struct ts_chunk describe_chunk(const struct drain_ring *r, const struct record_walk *w,
				      size_t len)
{
	struct ts_chunk c = {
		.ring = r->ring->id.number,
		.cpu = r->ring->id.cpu,
		.kind = r->ring->id.kind,
		.flags = r->ring->id.kind == TS_RING_SIDEBAND ? TS_CHUNK_MENDED : 0,
		.payload_bytes = len,
		.raw_bytes = len,
		.nr_records = w->nr_records,
		.time_min_ns = w->time_min_ns,
		.time_max_ns = w->time_max_ns,
		.lost = w->lost, /* not lost_samples: the hardware lost those, not the ring */
	};

	if (c.lost) {
		c.flags |= TS_CHUNK_AFTER_LOSS;
		c.lost_cause = cause_of_loss(r);
	}
	return c;
}

/* Brings the records to their place in the block, unless they are there already. */
static void place_records(struct drain *d, struct drain_side *side, const uint8_t *records,
			  bool compresses, struct ts_chunk *c)
{
	uint8_t *to = ts_stream_payload(&side->stream);

	if (compresses) {
		c->payload_bytes = compress_records(d, side, records, c->raw_bytes);
		c->flags |= TS_CHUNK_COMPRESSED;
		return;
	}
	if (records != to)
		memcpy(to, records, c->raw_bytes);
	if (d->compresses)
		ts_counter_add(&side->plain_bytes, c->raw_bytes);
}

void drain_chunk_make(struct drain *d, struct drain_side *side, struct drain_ring *r,
		      const uint8_t *records, size_t len, bool compresses)
{
	struct record_walk w;
	struct ts_chunk c;

	if (!record_walk_all(records, len, d->own_pid, &w, &len)) {
		drain_chunk_break_ring(d, r);
		if (len == 0)
			return;
	}
	c = describe_chunk(r, &w, len);
	if (r->kind->is_dumped)
		describe_past(r, &w, &r->counters[side - d->sides], &c);
	else
		note_lag(d, w.time_min_ns);
	place_records(d, side, records, compresses, &c);
	report_gap(d, r, &w, ts_counter_read(&r->counters[side - d->sides].time_max_ns));
	ts_stream_end_chunk(&side->stream, &c);
	ts_timeline_chunk(r->timelines[side - d->sides], &c);
	count_chunk(d, side, r, &w, &c);
}

void drain_chunk_forget_fill(struct drain_ring *r)
{
	r->late_before = r->late_now;
	r->late_now = TS_LOSS_NONE;
	r->is_high = false;
}
