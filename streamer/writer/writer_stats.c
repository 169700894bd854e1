// SPDX-License-Identifier: Apache-2.0
/* The statistics of a writer. Counters are read relaxed, so a snapshot is not exact. */
#include "common/base/min_max.h"
#include "streamer/machine/thread_cost.h"
#include "streamer/writer/writer_parts.h"

void writer_note_failure(struct writer *w, const struct ts_error *err)
{
	if (w->error.code)
		return;
	w->error = *err;
	ts_stop_raise(w->plan.failure);
}

void writer_read_ring_stats(const struct writer *w, size_t ring, struct writer_ring_stats *ret)
{
	const struct drain_counters *n = &w->drain.rings[ring].counters[w->cut.reported];

	*ret = (struct writer_ring_stats){
		.records = ts_counter_read(&n->records),
		.samples = ts_counter_read(&n->samples),
		.own_samples = ts_counter_read(&n->own_samples),
		.raw_bytes = ts_counter_read(&n->raw_bytes),
		.chunks = ts_counter_read(&n->chunks),
		.lost = ts_counter_read(&n->lost),
		.lost_disk = ts_counter_read(&n->lost_disk),
		.lost_compression = ts_counter_read(&n->lost_compression),
		.lost_samples = ts_counter_read(&n->lost_samples),
		.throttles = ts_counter_read(&n->throttles),
		.fill_max_bytes = ts_counter_read(&n->fill_max_bytes),
		.overwritten_bytes = ts_counter_read(&n->overwritten_bytes),
		.paused_max_ns = ts_counter_read(&n->paused_max_ns),
		.time_min_ns = ts_counter_read(&n->time_min_ns),
		.time_max_ns = ts_counter_read(&n->time_max_ns),
	};
}

const struct ts_timeline *writer_timeline(const struct writer *w, size_t ring)
{
	return w->drain.rings[ring].timelines[w->cut.reported];
}

void writer_read_measures(const struct writer *w, struct writer_measures *ret)
{
	const struct writer_counters *n = &w->counters;

	*ret = (struct writer_measures){
		.user_ns = ts_counter_read(&n->user_ns),
		.system_ns = ts_counter_read(&n->system_ns),
		.helpers_ns = ts_counter_read(&n->helpers_ns),
		.memory_bytes = ts_counter_read(&n->memory_bytes),
	};
	histogram_read(&w->drain.lag, &ret->lag);
	histogram_read(&n->write, &ret->write);
}

static uint64_t buffer_memory(const struct writer *w)
{
	size_t nr = (w->drain.raw ? 1 : 0) + (w->drain.split ? 1 : 0) +
		    (w->output.laying.skeleton ? 1 : 0);

	for (uint32_t i = 0; i < w->pool.nr; i++)
		nr += w->pool.items[i].data != NULL;
	return (uint64_t)nr * w->pool.buffer_bytes;
}

void writer_note_cost(struct writer *w)
{
	struct writer_counters *n = &w->counters;
	struct thread_cost cost;

	thread_cost_read(w->plan.number, &cost);
	ts_counter_set(&n->user_ns, cost.user_ns);
	ts_counter_set(&n->system_ns, cost.system_ns);
	ts_counter_set(&n->helpers_ns, cost.helpers_ns);
	ts_counter_set(&n->memory_bytes, buffer_memory(w));
}

void writer_read_stats(const struct writer *w, struct writer_stats *ret)
{
	const struct writer_counters *n = &w->counters;
	const struct writer_stream_counters *s = &n->streams[w->cut.reported];
	const struct drain_side *drained = &w->drain.sides[w->cut.reported];
	struct writer_ring_stats ring;
	size_t i;

	*ret = (struct writer_stats){
		.stream_bytes = ts_counter_read(&s->stream_bytes),
		.chunks = ts_counter_read(&s->chunks),
		.blocks = ts_counter_read(&s->blocks),
		.unwritten_records = ts_counter_read(&s->unwritten_records),
		.unwritten_samples = ts_counter_read(&s->unwritten_samples),
		.syncs = ts_counter_read(&n->syncs),
		.sync_max_ns = ts_counter_read(&n->sync_max_ns),
		.wakeups = ts_counter_read(&n->wakeups),
		.buffers = ts_counter_read(&n->buffers),
		.plain_bytes = ts_counter_read(&drained->plain_bytes),
		.compress_ns = ts_counter_read(&drained->compress_ns),
		.rests = ts_counter_read(&n->rests),
		.write_max_ns = ts_counter_read(&n->write_max_ns),
		.drain_gap_max_ns = ts_counter_read(&n->drain_gap_max_ns),
		.starved_ns = ts_counter_read(&n->starved_ns),
	};
	for (i = 0; i < w->plan.nr_rings; i++) {
		writer_read_ring_stats(w, i, &ring);
		ret->records += ring.records;
		ret->samples += ring.samples;
		ret->own_samples += ring.own_samples;
		ret->raw_bytes += ring.raw_bytes;
		ret->lost += ring.lost;
		ret->lost_disk += ring.lost_disk;
		ret->lost_compression += ring.lost_compression;
		ret->lost_samples += ring.lost_samples;
		ret->throttles += ring.throttles;
		ret->overwritten_bytes += ring.overwritten_bytes;
		ret->paused_max_ns = ts_max(ret->paused_max_ns, ring.paused_max_ns);
	}
}

const char *writer_io_name(const struct writer *w)
{
	return sink_kind_name(w->output.kind);
}

bool writer_is_direct(const struct writer *w)
{
	return w->output.kind != SINK_NULL && w->plan.file.direct;
}

const char *writer_schedule_name(const struct writer *w)
{
	return schedule_name(w->thread.schedule);
}
