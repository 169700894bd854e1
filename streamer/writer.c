// SPDX-License-Identifier: Apache-2.0
/*
 * The thread of a writer:
 *
 *	set up: schedule, io_uring (or epoll), sink, polls; tell the main thread
 *	until the end of the stream is written:
 *		told to stop, or time for the flush?  aim at what the rings hold now
 *		drain step by step, moving the sink on between the steps
 *		all that was aimed at is drained?  end the block, however small it is
 *		sleep until a ring, a completion, the order to stop or a deadline
 *
 * A block goes to the sink when it is full, when the sink is idle and it is half full, or by a
 * flush. Once a write failed for good, the same goes on without a sink: records are taken and
 * counted as unwritten, until the main thread, woken by the stop flag, ends us.
 */
#include "streamer/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/number.h"
#include "streamer/walk.h"
#include "streamer/writer_parts.h"

#define FLUSH_NS_MIN	TS_NS_PER_MS
#define FLUSH_MARGIN_NS (50 * TS_NS_PER_MS)
#define JUDGE_NS	(16 * TS_NS_PER_MS)
#define OWN_MAX		64 /* own samples in that time: 4,000 a second */
#define REST_NS_MIN	(TS_NS_PER_MS / 4)
#define REST_NS_MAX	(4 * TS_NS_PER_MS)

/* --- life --- */

static int check_plan(const struct writer_plan *p, struct ts_error *err)
{
	if (p->nr_buffers < 2 || p->buffer_bytes < WRITER_BUFFER_BYTES_MIN ||
	    p->buffer_bytes % TS_BLOCK_ALIGN)
		return ts_error_set(err, EINVAL,
				    "cannot make a writer with %u buffers of %zu bytes: it takes "
				    "two of %u bytes",
				    p->nr_buffers, p->buffer_bytes, WRITER_BUFFER_BYTES_MIN);
	if (p->flush_ns < FLUSH_NS_MIN)
		return ts_error_set(err, EINVAL,
				    "cannot flush every %llu ns: 1 ms is the shortest time",
				    (unsigned long long)p->flush_ns);
	return 0;
}

/* How often to look at all rings, so that with the write no record gets older than flush_ns. */
static uint64_t look_period(uint64_t flush_ns)
{
	uint64_t margin_ns = flush_ns / 2;

	return flush_ns - ts_min(margin_ns, FLUSH_MARGIN_NS);
}

/* As many as the supply would have for a single writer. */
static uint32_t buffers_max(const struct writer_plan *p)
{
	return p->nr_buffers + (uint32_t)(p->supply->max_bytes / p->buffer_bytes);
}

/* What a buffered block is laid with is read by the same CPUs as the blocks. */
static int init_laying(struct writer *w, bool is_direct, struct ts_error *err)
{
	if (is_direct)
		return ts_laying_init(&w->laying, w->plan.buffer_bytes, true, err);
	w->skeleton = buffer_map_memory(&w->pool);
	if (!w->skeleton)
		return ts_error_sys(err, ENOMEM, "cannot allocate a buffer for writing a stream");
	return ts_laying_init_in(&w->laying, w->plan.buffer_bytes, w->skeleton, err);
}

static int prepare_arrivals(struct writer *w, struct ts_error *err)
{
	w->arrivals = calloc(w->plan.nr_rings + 1, sizeof(*w->arrivals));
	return w->arrivals ? 0 : ts_error_sys(err, ENOMEM, "cannot make a writer");
}

static int init_path(struct writer *w, struct ts_error *err)
{
	const struct writer_plan *p = &w->plan;
	bool is_null = p->sink == SINK_NULL;
	struct drain_plan drain = {
		.rings = p->rings,
		.nr_rings = p->nr_rings,
		.pool = &w->pool,
		.compression_level = p->compression_level,
		.clock = p->clock,
		.uuid = w->plan.uuid,
		.align = is_null ? TS_BLOCK_ALIGN : p->file.align,
		.own_pid = (uint32_t)getpid(),
	};
	int rc;

	rc = buffer_pool_init(&w->pool, p->nr_buffers, p->buffer_bytes, p->nodes, err);
	if (rc == 0 && p->supply)
		rc = buffer_pool_reserve(&w->pool, buffers_max(p), err);
	if (rc == 0)
		rc = drain_init(&w->drain, &drain, err);
	if (rc == 0)
		rc = prepare_arrivals(w, err);
	if (rc == 0)
		rc = init_laying(w, is_null || p->file.direct, err);
	return rc;
}

struct writer *writer_new(const struct writer_plan *plan, struct ts_error *err)
{
	struct writer *w;

	if (check_plan(plan, err) < 0)
		return NULL;
	w = aligned_alloc(TS_CACHE_LINE, sizeof(*w));
	if (!w) {
		ts_error_sys(err, ENOMEM, "cannot make a writer");
		return NULL;
	}
	memset(w, 0, sizeof(*w));
	w->plan = *plan;
	w->look_period_ns = look_period(plan->flush_ns);
	w->stop.fd = -1;
	sem_init(&w->is_set_up, 0, 0);
	w->cpus = schedule_cpu_set(plan->cpus, &w->cpus_bytes);
	if (!w->cpus && w->cpus_bytes) {
		ts_error_sys(err, ENOMEM, "cannot make a writer");
		goto fail;
	}
	if (ts_stop_init(&w->stop, err) < 0 || init_path(w, err) < 0)
		goto fail;
	ts_counter_set(&w->counters.buffers, w->pool.nr);
	if (plan->supply)
		w->supply = supply_slot(plan->supply, plan->number, &w->pool, w->stop.fd);
	return w;
fail:
	writer_free(w);
	return NULL;
}

/* Takes over what the supply gave meanwhile. */
static void add_supplied(struct writer *w, bool is_running)
{
	uint8_t *memory[SUPPLY_BATCH_MAX];
	uint32_t nr = w->supply ? supply_take(w->supply, memory) : 0;

	if (!nr)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		buffer_pool_add(&w->pool, memory[i]);
		if (is_running)
			sink_add_memory(&w->sink, memory[i], w->plan.buffer_bytes);
	}
	ts_counter_set(&w->counters.buffers, w->pool.nr);
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	if (w->thread.is_started)
		writer_stop(w);
	ts_thread_join(&w->thread);
	ts_laying_release(&w->laying);
	if (w->skeleton)
		munmap(w->skeleton, w->plan.buffer_bytes);
	drain_release(&w->drain);
	add_supplied(w, false); /* so that it is unmapped with the others */
	buffer_pool_release(&w->pool);
	ts_stop_release(&w->stop);
	sem_destroy(&w->is_set_up);
	CPU_FREE(w->cpus);
	free(w->arrivals);
	free(w);
}

/* --- the thread: failing --- */

void writer_note_failure(struct writer *w, const struct ts_error *err)
{
	if (w->error.code)
		return;
	w->error = *err;
	ts_stop_raise(w->plan.failure);
}

static void count_bytes(struct writer *w, uint64_t bytes)
{
	ts_counter_add(&w->counters.stream_bytes, bytes);
	if (w->plan.limit)
		size_limit_add(w->plan.limit, bytes);
}

static void count_unwritten(struct writer *w, struct buffer *b)
{
	ts_counter_add(&w->counters.unwritten_records, b->nr_records);
	ts_counter_add(&w->counters.unwritten_samples, b->nr_samples);
	buffer_free(&w->pool, b);
}

static void count_all_unwritten(struct writer *w, struct buffer *b)
{
	drain_unwrite(&w->drain, b, 0, 0);
	count_unwritten(w, b);
}

/*
 * The block in flight could not be written, but some of its records are in the file. Those of a
 * plain chunk that was cut can be counted; a compressed one is cut off as a whole.
 */
static void count_partly_written(struct writer *w, struct buffer *b)
{
	size_t kept = (size_t)(w->sink.file_bytes - b->offset), from, bad;
	struct buffer_mark m = buffer_mark_before(b, kept);
	struct walk cut = {0};

	from = m.end + TS_CHUNK_HEADER_BYTES;
	if (w->drain.compresses || kept <= from)
		sink_truncate(&w->sink, b->offset + m.end);
	else
		walk_records(b->data + from, kept - from, 0, &cut, &bad);
	drain_unwrite(&w->drain, b, m.nr_chunks, cut.nr_records);
	b->nr_records -= m.nr_records + (uint32_t)cut.nr_records;
	b->nr_samples -= m.nr_samples + (uint32_t)cut.nr_samples;
	count_bytes(w, w->sink.file_bytes - b->offset);
	count_unwritten(w, b);
}

static void give_up_writing(struct writer *w, const struct ts_error *err)
{
	w->has_failed = true;
	if (w->in_flight && w->sink.state == SINK_FAILED)
		count_partly_written(w, w->in_flight);
	else if (w->in_flight)
		count_all_unwritten(w, w->in_flight);
	w->in_flight = NULL;
	writer_note_failure(w, err);
}

/* --- the thread: writing --- */

static void count_syncs(struct writer *w)
{
	ts_counter_set(&w->counters.syncs, w->sink.sync.nr);
	ts_counter_set(&w->counters.sync_max_ns, w->sink.sync.max_ns);
}

static void count_written(struct writer *w, const struct buffer *b)
{
	struct writer_counters *n = &w->counters;

	count_bytes(w, b->len);
	ts_counter_add(&n->chunks, b->nr_chunks);
	ts_counter_add(&n->blocks, 1);
	count_syncs(w);
	ts_counter_max(&n->write_max_ns, w->sink.write_ns);
	ts_histogram_add(&n->write, w->sink.write_ns);
}

static void write_buffer(struct writer *w, struct buffer *b)
{
	struct sink_block block = {
		.len = b->len,
		.offset = b->offset,
		.data = b->data,
		.laying = &w->laying,
	};

	block.nr_ops = ts_laying_plan(&w->laying, b->data, b->len, b->offset);
	block.ops = w->laying.ops;
	w->in_flight = b;
	sink_write(&w->sink, &block);
}

/* The next block for an idle sink; a half full one is worth a write when nothing else waits. */
static struct buffer *next_block(struct writer *w)
{
	struct buffer *b = buffer_next(&w->pool);

	if (b || drain_filled(&w->drain) < w->plan.buffer_bytes / 2)
		return b;
	drain_end_block(&w->drain);
	return buffer_next(&w->pool);
}

static void discard_queue(struct writer *w)
{
	struct buffer *b;

	while ((b = buffer_next(&w->pool)))
		count_all_unwritten(w, b);
}

/* Takes what the sink completed and gives it the next block. */
static void move_sink(struct writer *w)
{
	struct buffer *b;

	while (!w->has_failed) {
		enum sink_state state = sink_look(&w->sink);

		if (state == SINK_BUSY)
			return;
		if (state == SINK_FAILED) {
			give_up_writing(w, &w->sink.error);
			break;
		}
		if (state == SINK_WRITTEN) {
			count_written(w, w->in_flight);
			buffer_free(&w->pool, w->in_flight);
			w->in_flight = NULL;
		}
		b = next_block(w);
		if (!b)
			return;
		write_buffer(w, b);
	}
	discard_queue(w);
}

/* --- the thread: resting --- */

/*
 * To wake up, drain and go to sleep again takes a handful of system calls. Where these are recorded
 * with large samples, or into tiny rings, they fill a ring up to its watermark, which wakes us again:
 * without end. So while more than a third of what comes, and more than a few, is our own, wake-ups are
 * kept apart: longer and longer until it is less, and closer again as others have more to tell.
 */
static void judge_own_events(struct writer *w, uint64_t now_ns)
{
	struct drain *d = &w->drain;

	if (now_ns < w->judge_ns)
		return;
	if (d->nr_own <= OWN_MAX || d->nr_own <= d->nr_samples / 3)
		w->rest_ns = w->rest_ns > REST_NS_MIN ? w->rest_ns / 4 * 3 : 0;
	else if (w->rest_ns < REST_NS_MAX)
		w->rest_ns = w->rest_ns ? w->rest_ns * 2 : REST_NS_MIN;
	d->nr_samples = d->nr_own = 0;
	w->judge_ns = now_ns + JUDGE_NS;
}

static void rest_from_own_events(struct writer *w)
{
	uint64_t now_ns = ts_now_ns(), until_ns = w->slept_ns + w->rest_ns;
	struct timespec until;

	judge_own_events(w, now_ns);
	if (until_ns > w->next_flush_ns)
		until_ns = w->next_flush_ns;
	until = ts_timespec(until_ns);
	if (now_ns < until_ns && w->phase == PHASE_RUNNING) {
		ts_counter_add(&w->counters.rests, 1);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		now_ns = ts_now_ns();
	}
	w->slept_ns = now_ns;
}

/* --- the thread: draining --- */

/* The last aim: what the rings hold when we are told to stop. */
static void obey_stop(struct writer *w)
{
	if (w->phase != PHASE_RUNNING || !ts_stop_is_raised(&w->stop))
		return;
	writer_take_arrivals(w);
	drain_aim(&w->drain, true);
	w->phase = PHASE_ENDING;
	w->is_aiming = true;
}

/* The end needs no flush: it writes everything. */
static void begin_flush(struct writer *w, uint64_t now_ns)
{
	if (w->phase != PHASE_RUNNING || now_ns < w->next_flush_ns)
		return;
	if (!w->is_aiming)
		drain_aim(&w->drain, false);
	w->is_aiming = true;
	w->next_flush_ns = now_ns + w->look_period_ns;
}

static void obey_or_flush(struct writer *w)
{
	obey_stop(w);
	begin_flush(w, ts_now_ns());
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

/* The disk lags, and there is one free buffer left at most: more of them, before it is too late. */
static void mind_buffers(struct writer *w)
{
	if (!w->supply)
		return;
	add_supplied(w, true);
	if (w->in_flight && w->pool.first && w->pool.nr_free <= 1)
		supply_ask(w->plan.supply, w->supply, w->pool.nr);
}

/* Drains until there is nothing due, or no buffer; the sink moves on meanwhile. */
static enum drain_step drain_all(struct writer *w)
{
	enum drain_step step;

	for (;;) {
		uint64_t now_ns = ts_now_ns();

		note_gap(w, now_ns);
		step = drain_step(&w->drain);
		note_starvation(w, step == DRAIN_NO_BUFFER, now_ns);
		if (w->in_flight)
			wait_look(&w->wait);
		move_sink(w);
		mind_buffers(w);
		writer_take_arrivals(w);
		if (step == DRAIN_NOTHING)
			return step;
		/* The sink may have given a buffer back just now. */
		if (step == DRAIN_NO_BUFFER && w->in_flight && !w->pool.nr_free)
			return step;
		obey_or_flush(w);
	}
}

/* All that was aimed at is drained: what there is goes out now. */
static void end_aim(struct writer *w)
{
	w->is_aiming = false;
	drain_end_block(&w->drain);
	if (w->drain.error.code)
		writer_note_failure(w, &w->drain.error);
	move_sink(w);
}

/* The stream is closed behind the last block. */
static void move_end(struct writer *w)
{
	if (w->in_flight || w->pool.first)
		return;
	if (w->phase == PHASE_ENDING && !w->has_failed) {
		drain_finish(&w->drain);
		w->phase = PHASE_FINISHING;
		move_sink(w);
		if (w->in_flight)
			return;
	}
	if (!w->has_failed && !sink_end_sync(&w->sink))
		return;
	/* A sync that failed while the last block was written, or behind it. */
	if (!w->has_failed && w->sink.state == SINK_FAILED)
		give_up_writing(w, &w->sink.error);
	count_syncs(w);
	w->phase = PHASE_OVER;
}

/* false: we cannot even wait any more. */
static bool sleep_until_something(struct writer *w)
{
	uint64_t due_ns = sink_due_ns(&w->sink);
	struct ts_error err;
	bool ok;

	if (w->phase == PHASE_RUNNING && w->next_flush_ns < due_ns)
		due_ns = w->next_flush_ns;
	ok = wait_next(&w->wait, due_ns, &err) >= 0;
	w->looked_ns = ts_now_ns();
	ts_counter_add(&w->counters.wakeups, 1);
	if (ok)
		return true;
	give_up_writing(w, &err);
	drain_end_block(&w->drain);
	discard_queue(w);
	return false;
}

static void write_stream(struct writer *w)
{
	w->looked_ns = ts_now_ns();
	w->next_flush_ns = w->looked_ns + w->look_period_ns;
	while (w->phase != PHASE_OVER) {
		enum drain_step step;

		obey_or_flush(w);
		step = drain_all(w);
		if (w->drain.error.code)
			writer_note_failure(w, &w->drain.error);
		if (step == DRAIN_NOTHING && w->is_aiming)
			end_aim(w);
		if (step == DRAIN_NOTHING && w->phase != PHASE_RUNNING)
			move_end(w);
		if (w->phase == PHASE_OVER)
			return;
		rest_from_own_events(w);
		if (!sleep_until_something(w))
			return;
	}
}

/* --- the thread --- */

static void enter(void *arg)
{
	struct writer *w = arg;

	w->set_up_rc = writer_set_up(w);
	/* Posting hands what the set-up left to the main thread. */
	sem_post(&w->is_set_up);
	if (w->set_up_rc == 0)
		write_stream(w);
	writer_note_cost(w);
	sink_close(&w->sink);
	wait_close(&w->wait);
}

/* --- for the main thread --- */

int writer_start(struct writer *w, struct ts_error *err)
{
	char name[TS_THREAD_NAME_BYTES];
	int rc;

	snprintf(name, sizeof(name), "tstream-w%02u", w->plan.number % 100000);
	rc = ts_thread_start(&w->thread, name, w->cpus, w->cpus_bytes, enter, w, err);
	if (rc < 0)
		return rc;
	while (sem_wait(&w->is_set_up) < 0)
		; /* EINTR: a signal of ours */
	if (w->set_up_rc == 0)
		return 0;
	return writer_join(w, err);
}

bool writer_pin(struct writer *w)
{
	return !w->thread.is_started || !w->cpus ||
	       pthread_setaffinity_np(w->thread.id, w->cpus_bytes, w->cpus) == 0;
}

void writer_stop(struct writer *w)
{
	ts_stop_raise(&w->stop);
}

int writer_join(struct writer *w, struct ts_error *err)
{
	ts_thread_join(&w->thread);
	if (!w->error.code)
		return 0;
	*err = w->error;
	return -err->code;
}
