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
static int init_laying(struct writer *w, bool is_direct, struct ts_error *err)
{
	if (is_direct)
		return write_order_init(&w->laying, w->plan.buffer_bytes, true, err);
	w->skeleton = buffer_map_memory(&w->pool);
	if (!w->skeleton)
		return ts_error_sys(err, ENOMEM, "cannot allocate a buffer for writing a stream");
	return write_order_init_in(&w->laying, w->plan.buffer_bytes, w->skeleton, err);
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
	pthread_mutex_init(&w->gate, NULL);
	pthread_mutex_init(&w->turn, NULL);
	w->files[0] = plan->file;
	w->cpus = schedule_cpu_set(plan->cpus, &w->cpus_bytes);
	if (!w->cpus && w->cpus_bytes) {
		ts_error_sys(err, ENOMEM, "cannot make a writer");
		goto fail;
	}
	if (ts_stop_init(&w->stop, err) < 0 || init_path(w, err) < 0)
		goto fail;
	ts_counter_set(&w->counters.buffers, w->pool.nr);
	if (plan->supply)
		w->supply = buffer_supply_slot(plan->supply, plan->number, &w->pool, w->stop.fd);
	return w;
fail:
	writer_free(w);
	return NULL;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	if (w->thread.is_started)
		writer_stop(w);
	ts_thread_join(&w->thread);
	write_order_release(&w->laying);
	if (w->skeleton)
		munmap(w->skeleton, w->plan.buffer_bytes);
	drain_release(&w->drain);
	writer_add_supplied(w, false); /* so that their memory is unmapped with the others */
	buffer_pool_release(&w->pool);
	ts_stop_release(&w->stop);
	sem_destroy(&w->is_set_up);
	pthread_mutex_destroy(&w->gate);
	pthread_mutex_destroy(&w->turn);
	CPU_FREE(w->cpus);
	free(w->arrivals);
	free(w);
}

static void enter_writer(void *arg)
{
	struct writer *w = arg;

	w->set_up_rc = writer_set_up(w);
	/* Posting hands the results of the set-up to the main thread (ordering note 5). */
	sem_post(&w->is_set_up);
	if (w->set_up_rc == 0)
		writer_run(w);
	writer_note_cost(w);
	sink_close(&w->sink);
	wait_close(&w->wait);
}

int writer_start(struct writer *w, struct ts_error *err)
{
	char name[TS_THREAD_NAME_BYTES];
	int rc;

	snprintf(name, sizeof(name), "tstream-w%02u", w->plan.number % 100000);
	rc = ts_thread_start(&w->thread, name, w->cpus, w->cpus_bytes, enter_writer, w, err);
	if (rc < 0)
		return rc;
	while (sem_wait(&w->is_set_up) < 0)
		; /* EINTR: one of main's signals */
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
