// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/counter.h"
#include "reader/runtime/workers.h"
#include "reader/samples/deltas.h"
#include "reader/samples/read_values.h"

struct counter { /* a worker */
	struct delta_walk deltas;
	struct chunk_buffer buf;
	uint64_t *event_samples;
	int rc;
};

struct counting {
	const struct deltas *deltas;
	const struct chunk_table *table;
	struct counter *counters;
	_Alignas(TS_CACHE_LINE) atomic_size_t next_chunk; /* relaxed: only hands out numbers */
};

static bool is_counted(const struct selection *s, const struct ts_sample_id *sid)
{
	return !s || (selection_takes_record(s, sid) &&
		      selection_takes_thread(s, sid->pid, sid->tid, NULL));
}

static int count_sample(const struct counting *c, struct counter *w, const struct chunk *chunk,
			const struct perf_event_header *hdr)
{
	const struct ts_events *events = c->deltas->events;
	struct ts_sample sample;
	int nr;

	if (ts_decode_sample(events, hdr, &sample) != TS_DECODE_OK)
		return 0;
	if (!read_values_stand_for_samples(&events->items[sample.sid.event].attr))
		return 0;
	nr = delta_take(&w->deltas, &sample, chunk->stream, chunk->offset);
	if (!is_counted(c->table->selection, &sample.sid))
		return nr < 0 ? nr : 0;
	for (int i = 0; i < nr; i++)
		w->event_samples[w->deltas.members[i].event]++;
	return nr < 0 ? nr : 0;
}

static int count_chunk(const struct counting *c, struct counter *w, const struct chunk *chunk)
{
	const uint8_t *records;
	size_t len;
	int rc = chunk_load_some(c->table, chunk, &w->buf, &records, &len);

	if (rc)
		return rc;
	delta_begin(&w->deltas, 0);
	rc = delta_list(&w->deltas, records, len);
	for (size_t i = 0; !rc && i < w->deltas.nr_order; i++)
		rc = count_sample(c, w, chunk, (const void *)(records + w->deltas.order[i].offset));
	chunk_unload(c->table, chunk);
	return rc;
}

static void run_counter(void *arg, unsigned int n)
{
	struct counting *c = arg;
	struct counter *w = &c->counters[n];

	delta_init(&w->deltas, c->deltas);
	w->event_samples = calloc(c->deltas->events->nr + 1, sizeof(*w->event_samples));
	w->rc = w->event_samples ? 0 : -ENOMEM;
	while (!w->rc) {
		size_t i = atomic_fetch_add_explicit(&c->next_chunk, 1, memory_order_relaxed);

		if (i >= c->table->nr)
			break;
		if (c->table->chunks[i].flags & CHUNK_SAMPLES &&
		    chunk_may_match(c->table, &c->table->chunks[i]))
			w->rc = count_chunk(c, w, &c->table->chunks[i]);
	}
	delta_release(&w->deltas);
	chunk_buffer_release(&w->buf);
}

static int add_up(const struct counting *c, unsigned int nr_workers, uint64_t *event_samples)
{
	const struct ts_events *events = c->deltas->events;
	int rc = 0;

	for (unsigned int k = 0; k < nr_workers; k++)
		rc = rc ? rc : c->counters[k].rc;
	for (size_t i = 0; !rc && i < events->nr; i++) {
		if (!read_values_stand_for_samples(&events->items[i].attr))
			continue;
		event_samples[i] = 0;
		for (unsigned int k = 0; k < nr_workers; k++)
			event_samples[i] += c->counters[k].event_samples[i];
	}
	return rc;
}

int deltas_count(const struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		 uint64_t *event_samples, struct ts_error *err)
{
	struct counting c = {.deltas = r, .table = table};
	int rc;

	c.counters = calloc(nr_workers, sizeof(*c.counters));
	if (!c.counters)
		return ts_error_sys(err, ENOMEM, "cannot count samples");
	workers_run(nr_workers, run_counter, &c);
	rc = add_up(&c, nr_workers, event_samples);
	for (unsigned int k = 0; k < nr_workers; k++)
		free(c.counters[k].event_samples);
	free(c.counters);
	return rc ? ts_error_sys(err, -rc, "cannot count samples") : 0;
}
