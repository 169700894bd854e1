// SPDX-License-Identifier: Apache-2.0
/*
 * The life of a writer, as the main thread sees it. The code of the writer's own thread is in
 * writer_setup.c, writer_loop.c, writer_blocks.c and writer_cut.c.
 */
#include "streamer/writer/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "streamer/writer/writer_parts.h"

#define FLUSH_NS_MIN	TS_NS_PER_MS
#define FLUSH_MARGIN_NS (50 * TS_NS_PER_MS)

static int check_plan(const struct writer_plan *p, struct ts_error *err)
{
	if (p->nr_buffers < 2 || p->buffer_bytes < WRITER_BUFFER_BYTES_MIN ||
	    p->buffer_bytes % TS_BLOCK_ALIGN)
		return ts_error_set(err, EINVAL,
				    "cannot make a writer with %u buffers of %zu bytes: it needs "
				    "two of %u bytes",
				    p->nr_buffers, p->buffer_bytes, WRITER_BUFFER_BYTES_MIN);
	if (p->flush_ns < FLUSH_NS_MIN)
		return ts_error_set(err, EINVAL,
				    "cannot flush every %llu ns: 1 ms is the shortest time",
				    (unsigned long long)p->flush_ns);
	return 0;
}

/*
 * Returns how often to look at all rings: a ring below its watermark wakes nobody. The rest of
 * flush_ns is left for the write.
 */
static uint64_t look_period(uint64_t flush_ns)
{
	uint64_t margin_ns = flush_ns / 2;

	return flush_ns - ts_min(margin_ns, FLUSH_MARGIN_NS);
}

/* The number of buffers if one writer gets all that the supply has. */
static uint32_t buffers_max(const struct writer_plan *p)
{
	return p->nr_buffers + (uint32_t)(p->supply->max_bytes / p->buffer_bytes);
}

/*
 * The skeleton of buffered blocks is read by the same CPUs as the blocks, so it is on the same
 * nodes.
 */
static int init_output(struct writer_output *o, const struct buffer_pool *pool, bool is_direct,
		       struct ts_error *err)
{
	if (is_direct)
		return write_order_init(&o->laying, pool->buffer_bytes, true, err);
	o->skeleton = buffer_map_memory(pool);
	if (!o->skeleton)
		return ts_error_sys(err, ENOMEM, "cannot allocate a buffer for writing a stream");
	return write_order_init_in(&o->laying, pool->buffer_bytes, o->skeleton, err);
}

static int init_arrivals(struct writer_arrivals *a, size_t nr_rings, struct ts_error *err)
{
	a->rings = calloc(nr_rings + 1, sizeof(*a->rings));
	return a->rings ? 0 : ts_error_sys(err, ENOMEM, "cannot make a writer");
}

static int init_thread(struct writer_thread *t, hwloc_const_bitmap_t cpus, struct ts_error *err)
{
	t->stop.fd = -1;
	sem_init(&t->is_set_up, 0, 0);
	t->cpus = schedule_cpu_set(cpus, &t->cpus_bytes);
	if (!t->cpus && t->cpus_bytes)
		return ts_error_sys(err, ENOMEM, "cannot make a writer");
	return ts_stop_init(&t->stop, err);
}

static void init_cut(struct writer_cut *c, const struct ts_stream_file *file)
{
	pthread_mutex_init(&c->gate, NULL);
	pthread_mutex_init(&c->turn, NULL);
	c->files[0] = *file;
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
		.has_cuts = p->has_cuts,
		.own_pid = (uint32_t)getpid(),
		.gap = p->gap,
	};
	int rc;

	rc = buffer_pool_init(&w->pool, p->nr_buffers, p->buffer_bytes, p->nodes, err);
	if (rc == 0 && p->supply)
		rc = buffer_pool_reserve(&w->pool, buffers_max(p), err);
	if (rc == 0)
		rc = drain_init(&w->drain, &drain, err);
	if (rc == 0)
		rc = init_arrivals(&w->arrivals, p->nr_rings, err);
	if (rc == 0)
		rc = init_output(&w->output, &w->pool, is_null || p->file.direct, err);
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
	w->pace.look_period_ns = look_period(plan->flush_ns);
	init_cut(&w->cut, &plan->file);
	if (init_thread(&w->thread, plan->cpus, err) < 0 || init_path(w, err) < 0) {
		writer_free(w);
		return NULL;
	}
	ts_counter_set(&w->counters.buffers, w->pool.nr);
	if (plan->supply)
		w->supply =
			buffer_supply_slot(plan->supply, plan->number, &w->pool, w->thread.stop.fd);
	return w;
}

static void release_output(struct writer_output *o, size_t buffer_bytes)
{
	write_order_release(&o->laying);
	if (o->skeleton)
		munmap(o->skeleton, buffer_bytes);
}

static void release_thread(struct writer_thread *t)
{
	ts_stop_release(&t->stop);
	sem_destroy(&t->is_set_up);
	CPU_FREE(t->cpus);
}

static void release_cut(struct writer_cut *c)
{
	pthread_mutex_destroy(&c->gate);
	pthread_mutex_destroy(&c->turn);
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	if (w->thread.task.is_started)
		writer_stop(w);
	ts_thread_join(&w->thread.task);
	release_output(&w->output, w->plan.buffer_bytes);
	drain_release(&w->drain);
	writer_add_supplied(w, false); /* so that their memory is unmapped with the others */
	buffer_pool_release(&w->pool);
	release_thread(&w->thread);
	release_cut(&w->cut);
	free(w->arrivals.rings);
	free(w);
}

static void enter_writer(void *arg)
{
	struct writer *w = arg;
	int rc = writer_set_up(w);

	w->thread.set_up_rc = rc;
	/* Posting hands the results of the set-up to the main thread (ordering note 5). */
	sem_post(&w->thread.is_set_up);
	if (rc == 0)
		writer_run(w);
	writer_note_cost(w);
	sink_close(&w->output.sink);
	wait_close(&w->wait);
}

int writer_start(struct writer *w, struct ts_error *err)
{
	struct writer_thread *t = &w->thread;
	char name[TS_THREAD_NAME_BYTES];
	int rc;

	snprintf(name, sizeof(name), "tstream-w%02u", w->plan.number % 100000);
	rc = ts_thread_start(&t->task, name, t->cpus, t->cpus_bytes, enter_writer, w, err);
	if (rc < 0)
		return rc;
	while (sem_wait(&t->is_set_up) < 0)
		; /* EINTR: one of main's signals */
	if (t->set_up_rc == 0)
		return 0;
	return writer_join(w, err);
}

bool writer_pin(struct writer *w)
{
	const struct writer_thread *t = &w->thread;

	return !t->task.is_started || !t->cpus ||
	       pthread_setaffinity_np(t->task.id, t->cpus_bytes, t->cpus) == 0;
}

void writer_stop(struct writer *w)
{
	ts_stop_raise(&w->thread.stop);
}

int writer_join(struct writer *w, struct ts_error *err)
{
	ts_thread_join(&w->thread.task);
	if (!w->error.code)
		return 0;
	*err = w->error;
	return -err->code;
}
