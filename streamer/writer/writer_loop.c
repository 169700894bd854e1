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
		self_throttle_account(&w->rest, now_ns, d->nr_own, d->nr_samples - d->nr_own);
	struct timespec until;

	d->nr_samples = d->nr_own = 0;
	if (!rest_ns || w->phase != PHASE_RUNNING)
		return;
	until = ts_clock_timespec(now_ns + rest_ns < w->next_flush_ns ? now_ns + rest_ns
								      : w->next_flush_ns);
	ts_counter_add(&w->counters.rests, 1);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* --- draining --- */

/* The last aim is the content of the rings at the order to stop. */
static void follow_stop(struct writer *w)
{
	if (w->phase != PHASE_RUNNING || !ts_stop_is_raised(&w->stop))
		return;
	writer_take_arrivals(w);
	drain_dump(&w->drain, false);
	drain_aim(&w->drain, true);
	w->is_settling = w->drain.cut_ns && !w->owes_end;
	w->phase = PHASE_ENDING;
	w->is_aiming = true;
}

/* The end needs no flush, because it writes all records. */
static void begin_flush(struct writer *w, uint64_t now_ns)
{
	if (w->phase != PHASE_RUNNING || now_ns < w->next_flush_ns)
		return;
	if (!w->is_aiming)
		drain_aim(&w->drain, false);
	w->is_aiming = true;
	w->next_flush_ns = now_ns + w->look_period_ns;
}

static void follow_orders(struct writer *w)
{
	follow_stop(w);
	writer_follow_cut(w);
	begin_flush(w, ts_clock_now_ns());
}

static void note_gap(struct writer *w, uint64_t now_ns)
{
	ts_counter_max(&w->counters.drain_gap_max_ns, now_ns - w->looked_ns);
	w->looked_ns = now_ns;
}

static void note_starvation(struct writer *w, bool is_starved, uint64_t now_ns)
{
	if (w->starved_since_ns)
		ts_counter_add(&w->counters.starved_ns, now_ns - w->starved_since_ns);
	w->starved_since_ns = is_starved ? now_ns : 0;
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
 * If there are cuts, main may hold the writer. Main holds `turn` while it waits for the gate, so
 * the writer cannot overtake it.
 */
static enum drain_step drain_behind_gate(struct writer *w)
{
	enum drain_step step;

	if (!w->plan.has_cuts)
		return drain_step(&w->drain);
	pthread_mutex_lock(&w->turn);
	pthread_mutex_lock(&w->gate);
	pthread_mutex_unlock(&w->turn);
	step = drain_step(&w->drain);
	pthread_mutex_unlock(&w->gate);
	return step;
}

/* Drains until no ring has enough, or no buffer is free. The sink moves on meanwhile. */
static enum drain_step drain_all(struct writer *w)
{
	enum drain_step step;

	for (;;) {
		uint64_t now_ns = ts_clock_now_ns();

		note_gap(w, now_ns);
		step = drain_behind_gate(w);
		note_starvation(w, step == DRAIN_NO_BUFFER, now_ns);
		if (w->in_flight || w->sink.sync.is_under_way)
			wait_look(&w->wait);
		writer_move_sink(w);
		mind_buffers(w);
		writer_take_arrivals(w);
		if (step == DRAIN_NOTHING)
			return step;
		/* Not if the sink has just given a buffer back. */
		if (step == DRAIN_NO_BUFFER && (w->in_flight || w->pool.first) &&
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
	w->owes_end = w->owes_end || w->is_settling;
	w->is_settling = false;
	writer_move_sink(w);
}

/* False: even waiting is impossible now. */
static bool sleep_until_something(struct writer *w)
{
	uint64_t due_ns = sink_due_ns(&w->sink);
	struct ts_error err;
	bool ok;

	if (w->phase == PHASE_RUNNING && w->next_flush_ns < due_ns)
		due_ns = w->next_flush_ns;
	ok = wait_next(&w->wait, due_ns, &err) >= 0;
	w->looked_ns = ts_clock_now_ns();
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
	w->looked_ns = ts_clock_now_ns();
	w->next_flush_ns = w->looked_ns + w->look_period_ns;
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
