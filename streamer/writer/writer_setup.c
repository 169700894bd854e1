// SPDX-License-Identifier: Apache-2.0
/*
 * The set-up of a writer's thread before it drains: its scheduling, its wait and its sink. If
 * io_uring is refused and nobody asked for it, epoll and pwrite are used.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/base/wakeup.h"
#include "streamer/writer/writer_parts.h"

static int open_wait(struct writer *w)
{
	unsigned nr = (unsigned)w->plan.nr_rings + 2;
	bool may_fall_back = w->plan.sink == SINK_AUTO || w->plan.sink == SINK_NULL;
	int rc = -ENOSYS;

	w->output.kind = w->plan.sink;
	if (w->plan.sink != SINK_PWRITE)
		rc = wait_init(&w->wait, WAIT_URING, nr, w->thread.cpus, w->thread.cpus_bytes,
			       &w->error);
	if (w->plan.sink == SINK_AUTO)
		w->output.kind = rc == 0 ? SINK_URING : SINK_PWRITE;
	if (rc == 0 || (!may_fall_back && w->plan.sink != SINK_PWRITE))
		return rc;
	w->error = (struct ts_error){0};
	return wait_init(&w->wait, WAIT_EPOLL, nr, NULL, 0, &w->error);
}

static int open_sink(struct writer *w)
{
	unsigned nr = w->pool.nr + 1, i;
	struct iovec *memory = calloc(nr, sizeof(*memory));
	struct sink_plan plan = {
		.kind = w->output.kind,
		.number = w->plan.number,
		.file = w->plan.file,
		.path = w->plan.stream_path,
		.memory = memory,
		.nr_memory = w->output.laying.skeleton ? nr : nr - 1,
		.nr_more = w->pool.nr_max - w->pool.nr,
		.sync_ns = w->plan.sync_ns,
		.faults = w->plan.faults,
	};
	int rc;

	if (!memory)
		return ts_error_sys(&w->error, ENOMEM, "cannot set up a writer");
	for (i = 0; i < w->pool.nr; i++)
		memory[i] = (struct iovec){w->pool.items[i].data, w->pool.buffer_bytes};
	memory[i] = (struct iovec){w->output.laying.skeleton, w->pool.buffer_bytes};
	rc = sink_open(&w->output.sink, &plan, &w->wait, &w->error);
	w->output.sink.plan.memory = NULL;
	free(memory);
	return rc;
}

int writer_set_up(struct writer *w)
{
	struct writer_thread *t = &w->thread;
	size_t i;
	int rc;

	rc = schedule_self(w->plan.rt_priority, &t->schedule, &w->error);
	if (rc == 0)
		rc = open_wait(w);
	if (rc == 0)
		rc = open_sink(w);
	if (rc == 0)
		rc = wait_add(&w->wait, t->stop.fd, WAIT_STOP, &w->error);
	for (i = 0; i < w->plan.nr_rings && rc == 0; i++)
		if (w->drain.rings[i].is_there && w->plan.rings[i]->map_bytes &&
		    !ring_is_backward(w->plan.rings[i]))
			rc = wait_add(&w->wait, w->plan.rings[i]->poll_fd, WAIT_RINGS, &w->error);
	schedule_above_helpers(t->schedule); /* all helpers that inherit from it are made */
	return rc;
}

/* --- rings that come later --- */

void writer_wake(struct writer *w)
{
	ts_wakeup_send(w->thread.stop.fd); /* the flags have the order */
}

void writer_add_ring(struct writer *w, size_t ring)
{
	struct writer_arrivals *a = &w->arrivals;
	unsigned int nr = atomic_load_explicit(&a->nr, memory_order_relaxed);

	a->rings[nr] = (uint32_t)ring;
	/* Release: partner is the acquire in writer_take_arrivals(). The ring is open already. */
	atomic_store_explicit(&a->nr, nr + 1, memory_order_release);
	writer_wake(w);
}

void writer_take_arrivals(struct writer *w)
{
	struct writer_arrivals *a = &w->arrivals;
	unsigned int nr = atomic_load_explicit(&a->nr, memory_order_acquire);

	for (; a->nr_taken < nr; a->nr_taken++) {
		size_t ring = a->rings[a->nr_taken];
		struct ts_error err;

		drain_admit(&w->drain, ring);
		if (!ring_is_backward(w->plan.rings[ring]) &&
		    wait_add(&w->wait, w->plan.rings[ring]->poll_fd, WAIT_RINGS, &err) < 0)
			writer_note_failure(w, &err);
	}
}
