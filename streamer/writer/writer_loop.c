// SPDX-License-Identifier: Apache-2.0
/*
 * The loop of a writer's thread, once the thread is set up:
 *
 *	until the end of the stream is written:
 *		told to stop, or time for the flush?  aim at the content of the rings
 *		drain step by step, moving the sink on between the steps
 *		all that was aimed at is drained?  end the blocks, however small they are
 *		sleep until a ring, a completion, the order to stop or a deadline
 *
 * After a write has failed for good, the loop goes on without a sink. Records are taken and counted
 * as unwritten until main, which the failure flag has woken, ends the writer.
 */
#include <time.h>

#include "common/base/clock.h"
#include "streamer/writer/writer_parts.h"

/* --- resting --- */

static void rest_from_own_events(struct writer *w)
{
	struct drain *d = &w->drain;
	uint64_t now_ns = ts_clock_now_ns();
	uint64_t rest_ns =
		self_throttle_account(&w->pace.rest, now_ns, d->nr_own, d->nr_samples - d->nr_own);
	struct timespec until;

	d->nr_samples = d->nr_own = 0;
	if (!rest_ns || w->phase != PHASE_RUNNING)
		return;
	until = ts_clock_timespec(now_ns + rest_ns < w->pace.next_flush_ns ? now_ns + rest_ns
									   : w->pace.next_flush_ns);
	ts_counter_add(&w->counters.rests, 1);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* --- draining --- */

/* The last aim is the content of the rings at the order to stop. */
static void follow_stop(struct writer *w)
{
	if (w->phase != PHASE_RUNNING || !ts_stop_is_raised(&w->thread.stop))
		return;
	writer_take_arrivals(w);
	drain_dump(&w->drain, false);
	drain_aim(&w->drain, true);
	w->cut.is_settling = w->drain.cut_ns && !w->cut.owes_end;
	w->phase = PHASE_ENDING;
	w->is_aiming = true;
}

/* The end needs no flush, because it writes all records. */
static void begin_flush(struct writer *w, uint64_t now_ns)
{
	if (w->phase != PHASE_RUNNING || now_ns < w->pace.next_flush_ns)
		return;
	if (!w->is_aiming)
		drain_aim(&w->drain, false);
	w->is_aiming = true;
	w->pace.next_flush_ns = now_ns + w->pace.look_period_ns;
}

static void follow_orders(struct writer *w)
{
	follow_stop(w);
	writer_follow_cut(w);
	begin_flush(w, ts_clock_now_ns());
}

static void note_gap(struct writer_pace *p, struct writer_counters *n, uint64_t now_ns)
{
	ts_counter_max(&n->drain_gap_max_ns, now_ns - p->looked_ns);
	p->looked_ns = now_ns;
}

static void note_starvation(struct writer_pace *p, struct writer_counters *n, bool is_starved,
			    uint64_t now_ns)
{
	if (p->starved_since_ns)
		ts_counter_add(&n->starved_ns, now_ns - p->starved_since_ns);
	p->starved_since_ns = is_starved ? now_ns : 0;
}

/*
 * Asks for more buffers while it is not too late: if the disk lags and samples may take at most
 * one more buffer.
 */
static void mind_buffers(struct writer *w)
{
	if (!w->supply)
		return;
	writer_add_supplied(w, true);
	if (w->pool.first && w->pool.nr_free <= 2)
		buffer_supply_ask(w->plan.supply, w->supply, w->pool.nr);
}

/*
 * Main may hold the writer, to make a cut. Main holds `turn` while it waits for the gate, so
 * the writer cannot overtake it.
 */
static enum drain_step drain_behind_gate(struct drain *d, struct writer_cut *c)
{
	enum drain_step step;

	pthread_mutex_lock(&c->turn);
	pthread_mutex_lock(&c->gate);
	pthread_mutex_unlock(&c->turn);
	step = drain_step(d);
	pthread_mutex_unlock(&c->gate);
	return step;
}

/* Drains until no ring has enough, or no buffer is free. The sink moves on meanwhile. */
static enum drain_step drain_all(struct writer *w)
{
	enum drain_step step;

	for (;;) {
		uint64_t now_ns = ts_clock_now_ns();

		note_gap(&w->pace, &w->counters, now_ns);
		step = w->plan.has_cuts ? drain_behind_gate(&w->drain, &w->cut)
					: drain_step(&w->drain);
		note_starvation(&w->pace, &w->counters, step == DRAIN_NO_BUFFER, now_ns);
		if (w->output.in_flight || w->output.sink.sync.is_under_way)
			wait_look(&w->wait);
		writer_move_sink(w);
		mind_buffers(w);
		writer_take_arrivals(w);
		if (step == DRAIN_NOTHING)
			return step;
		/* Not if the sink has just given a buffer back. */
		if (step == DRAIN_NO_BUFFER && (w->output.in_flight || w->pool.first) &&
		    w->pool.nr_free < w->drain.nr_wanted)
			return step;
		/* With -z each chunk takes two system calls, which make samples. */
		rest_from_own_events(w);
		follow_orders(w);
	}
}

/* All that was aimed at is drained: the blocks go out now, however small they are. */
static void end_aim(struct writer *w)
{
	w->is_aiming = false;
	drain_end_block(&w->drain);
	if (w->drain.error.code)
		writer_note_failure(w, &w->drain.error);
	w->cut.owes_end = w->cut.owes_end || w->cut.is_settling;
	w->cut.is_settling = false;
	writer_move_sink(w);
}

/* False: even waiting is impossible now. */
static bool sleep_until_something(struct writer *w)
{
	uint64_t due_ns = sink_due_ns(&w->output.sink);
	struct ts_error err;
	bool ok;

	if (w->phase == PHASE_RUNNING && w->pace.next_flush_ns < due_ns)
		due_ns = w->pace.next_flush_ns;
	ok = wait_next(&w->wait, due_ns, &err) >= 0;
	w->pace.looked_ns = ts_clock_now_ns();
	ts_counter_add(&w->counters.wakeups, 1);
	if (ok)
		return true;
	writer_give_up(w, &err);
	drain_end_block(&w->drain);
	writer_move_sink(w);
	return false;
}

void writer_run(struct writer *w)
{
	w->pace.looked_ns = ts_clock_now_ns();
	w->pace.next_flush_ns = w->pace.looked_ns + w->pace.look_period_ns;
	while (w->phase != PHASE_OVER) {
		enum drain_step step;

		follow_orders(w);
		step = drain_all(w);
		if (w->drain.error.code)
			writer_note_failure(w, &w->drain.error);
		if (step == DRAIN_NOTHING && w->is_aiming)
			end_aim(w);
		if (step == DRAIN_NOTHING && w->phase != PHASE_RUNNING)
			writer_move_end(w);
		if (w->phase == PHASE_OVER)
			return;
		rest_from_own_events(w);
		if (!sleep_until_something(w))
			return;
	}
}
