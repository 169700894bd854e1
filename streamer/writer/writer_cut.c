// SPDX-License-Identifier: Apache-2.0
/*
 * The cut of a stream: the steps of main and of the writer.
 *
 *	main                             writer
 *	hold, T = now, cut, unhold       records before T -> old side, from T on -> new side;
 *	                                 dumps its backward rings at once, if asked to
 *	(nothing before T is under way)
 *	settle                           aims at the content of the rings; once it is drained, ends
 *	                                 the old side, which takes a free buffer; once that is
 *	                                 written, tells main
 *	begin_next                       (has been recording into the new side all the time)
 *
 * The gate makes T the same for all writers. No writer takes records out of a ring while main reads
 * the clock. So records that were taken before are older than T, and the time of each later record
 * decides its side.
 */
#include <string.h>

#include "common/base/wakeup.h"
#include "streamer/writer/writer_parts.h"

/* --- main --- */

void writer_hold(struct writer *w)
{
	pthread_mutex_lock(&w->cut.turn);
	pthread_mutex_lock(&w->cut.gate);
}

void writer_unhold(struct writer *w)
{
	pthread_mutex_unlock(&w->cut.gate);
	pthread_mutex_unlock(&w->cut.turn);
}

void writer_cut(struct writer *w, uint64_t time_ns, uint32_t cut, bool dumps,
		const struct ts_stream_file *file)
{
	struct writer_cut *c = &w->cut;
	size_t other = !w->drain.side;

	c->files[other] = *file;
	c->file_bytes[other] = 0;
	c->has_dumped = !dumps; /* the writer reads it after the release below */
	memset(&w->counters.streams[other], 0, sizeof(w->counters.streams[other]));
	drain_begin_cut(&w->drain, time_ns, cut,
			w->plan.sink == SINK_NULL ? TS_BLOCK_ALIGN : file->align);
	/* Release: partner is the acquire in writer_follow_cut(), which does not take the gate. */
	atomic_store_explicit(&c->step, CUT_BEGUN, memory_order_release);
	writer_wake(w);
}

void writer_settle_cut(struct writer *w)
{
	/* Release: partner is the acquire in writer_follow_cut(), which then looks at the rings. */
	atomic_store_explicit(&w->cut.step, CUT_SETTLED, memory_order_release);
	writer_wake(w);
}

bool writer_cut_is_over(const struct writer *w)
{
	/* Acquire: partner is the release in writer_tell_cut(). The old side is main's now. */
	return atomic_load_explicit(&w->cut.step, memory_order_acquire) == CUT_OVER;
}

void writer_begin_next(struct writer *w)
{
	struct writer_cut *c = &w->cut;

	c->reported = !c->reported;
	/* Relaxed: the writer reads nothing through it. */
	atomic_store_explicit(&c->step, CUT_NONE, memory_order_relaxed);
}

/* --- the writer --- */

/* As early as possible: until then the kernel overwrites records from before the cut. */
static void dump_once(struct writer *w)
{
	if (w->cut.has_dumped)
		return;
	writer_take_arrivals(w);
	drain_dump(&w->drain, true);
	w->cut.has_dumped = true;
}

void writer_follow_cut(struct writer *w)
{
	struct writer_cut *c = &w->cut;
	/* Acquire: partners are the releases in writer_cut() and writer_settle_cut(). */
	int step = atomic_load_explicit(&c->step, memory_order_acquire);

	if (step == CUT_BEGUN || step == CUT_SETTLED)
		dump_once(w);
	if (step != CUT_SETTLED || c->is_settling || c->owes_end || !w->drain.cut_ns)
		return;
	drain_aim(&w->drain, w->phase != PHASE_RUNNING);
	c->is_settling = w->is_aiming = true;
}

static bool has_buffer_for_end(const struct drain *d)
{
	const struct buffer *b = d->sides[d->side].filling;

	return d->pool->nr_free > 0 || (b && !b->nr_chunks);
}

void writer_move_cut(struct writer *w)
{
	struct writer_cut *c = &w->cut;

	if (!c->owes_end || !has_buffer_for_end(&w->drain))
		return;
	c->owes_end = c->has_ended_stream = false;
	drain_end_cut(&w->drain);
}

void writer_tell_cut(struct writer *w)
{
	struct writer_cut *c = &w->cut;
	struct writer_output *o = &w->output;

	if (!c->has_ended_stream || !(o->has_failed || sink_end_sync(&o->sink)))
		return;
	c->has_ended_stream = false;
	if (w->phase == PHASE_FINISHING)
		return; /* this was the last stream */
	c->has_dumped = false;
	/* The file belongs to main again; the next file gets its side. */
	o->side = DRAIN_SIDES;
	/* Release: partner is the acquire in writer_cut_is_over(). */
	atomic_store_explicit(&c->step, CUT_OVER, memory_order_release);
	ts_wakeup_send(w->plan.cut_fd);
}
