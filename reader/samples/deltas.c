// SPDX-License-Identifier: Apache-2.0
/*
 * Each worker walks the next chunk and adds a span for every counter that was read in it. At the
 * end all spans are sorted by counter and time.
 */
#include "reader/samples/deltas.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/counter.h"
#include "common/base/min_max.h"
#include "reader/runtime/workers.h"
#include "reader/samples/delta_parts.h"

bool deltas_are_in(const struct ts_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (read_values_stand_for_samples(&events->items[i].attr))
			return true;
	return false;
}

/* --- counters, and their values --- */

struct delta_counter delta_counter_of(const struct deltas *deltas, const struct ts_sample *sample,
				      uint64_t id)
{
	const struct perf_event_attr *attr = &deltas->events->items[sample->sid.event].attr;
	bool is_own = attr->inherit && attr->sample_type & PERF_SAMPLE_TID && !deltas->are_of_cpus;

	return (struct delta_counter){id, is_own ? sample->sid.tid : 0};
}

uint32_t delta_hash(struct hash_index *index, const struct delta_counter *c)
{
	const uint64_t words[] = {c->id, c->tid};

	return hash_index_hash(index, words, sizeof(words));
}

void *delta_with_room(struct memory *memory, void *items, size_t nr, size_t *cap, size_t bytes)
{
	size_t wanted = *cap ? 2 * *cap : 64;
	void *grown;

	if (nr < *cap)
		return items;
	grown = memory_resize(memory, items, wanted, bytes);
	if (grown)
		*cap = wanted;
	return grown;
}

/* Decodes a sample that read counters. False: another record, or it cannot be decoded. */
static bool decode_sample(const struct ts_events *events, const struct perf_event_header *hdr,
			  struct ts_sample *sample, struct read_values *ret)
{
	const struct perf_event_attr *attr;

	if (ts_record_load_u32(hdr) != PERF_RECORD_SAMPLE ||
	    ts_decode_sample(events, hdr, sample) != TS_DECODE_OK)
		return false;
	attr = &events->items[sample->sid.event].attr;
	*ret = read_values(&sample->read, attr->read_format);
	return read_values_stand_for_samples(attr);
}

static int tell_values(const struct deltas *deltas, const struct perf_event_header *hdr,
		       delta_value_fn tell, void *arg)
{
	struct read_values values;
	struct ts_sample sample;
	int rc = 0;

	if (!decode_sample(deltas->events, hdr, &sample, &values))
		return 0;
	for (uint64_t i = 0; !rc && i < values.nr; i++) {
		struct read_value v = read_value(&values, i);
		struct delta_counter counter = delta_counter_of(deltas, &sample, v.id);

		rc = tell(arg, &counter, v.value, sample.sid.time_ns);
	}
	return rc;
}

int delta_each_value(const struct deltas *deltas, uint32_t chunk, struct chunk_buffer *buf,
		     delta_value_fn tell, void *arg)
{
	const struct chunk_table *t = deltas->table;
	const struct perf_event_header *hdr;
	struct chunk_walk walk;
	const uint8_t *records;
	size_t len;
	int rc = chunk_load_some(t, &t->chunks[chunk], buf, &records, &len);

	if (rc)
		return rc;
	walk = (struct chunk_walk){records, records + len};
	while (!rc && (hdr = chunk_walk_next(&walk)))
		rc = tell_values(deltas, hdr, tell, arg);
	chunk_unload(t, &t->chunks[chunk]);
	return rc;
}

int delta_compare_spans(const void *a, const void *b)
{
	const struct delta_span *x = a, *y = b;

	if (x->counter.id != y->counter.id)
		return x->counter.id < y->counter.id ? -1 : 1;
	if (x->counter.tid != y->counter.tid)
		return x->counter.tid < y->counter.tid ? -1 : 1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* --- the walk before --- */

struct surveyor { /* a worker and its findings */
	struct memory *memory;
	struct delta_span *spans;
	size_t nr, cap;
	/* the current chunk: its number, its first span, and its spans by counter */
	uint32_t chunk;
	size_t first;
	struct hash_index index;
	struct chunk_buffer buf;
	int rc;
};

struct survey {
	struct deltas *deltas;
	struct surveyor *surveyors;
	_Alignas(TS_CACHE_LINE) atomic_size_t next_chunk; /* relaxed: only hands out numbers */
};

static struct delta_span *find_span(struct surveyor *w, const struct delta_counter *counter)
{
	uint32_t hash = delta_hash(&w->index, counter), position;
	struct hash_walk walk = hash_walk(&w->index, hash);
	struct delta_span *spans;

	while (hash_walk_next(&w->index, &walk, &position))
		if (delta_is_same(&w->spans[w->first + position].counter, counter))
			return &w->spans[w->first + position];
	spans = delta_with_room(w->memory, w->spans, w->nr, &w->cap, sizeof(*spans));
	if (!spans)
		return NULL;
	w->spans = spans;
	if (hash_index_add(&w->index, hash, (uint32_t)(w->nr - w->first)))
		return NULL;
	w->spans[w->nr] =
		(struct delta_span){.counter = *counter, .chunk = w->chunk, .first_ns = UINT64_MAX};
	return &w->spans[w->nr++];
}

static int survey_value(void *arg, const struct delta_counter *counter, uint64_t value,
			uint64_t time_ns)
{
	struct delta_span *span = find_span(arg, counter);

	if (!span)
		return -ENOMEM;
	span->first_ns = ts_min(span->first_ns, time_ns);
	if (time_ns >= span->last_ns) {
		span->last_ns = time_ns;
		span->last_value = value;
	}
	return 0;
}

static int survey_chunk(const struct survey *s, struct surveyor *w, uint32_t nr)
{
	hash_index_release(&w->index);
	w->chunk = nr;
	w->first = w->nr;
	return delta_each_value(s->deltas, nr, &w->buf, survey_value, w);
}

static void run_surveyor(void *arg, unsigned int n)
{
	struct survey *s = arg;
	struct surveyor *w = &s->surveyors[n];
	const struct chunk_table *t = s->deltas->table;

	w->memory = t->capture->memory;
	while (!w->rc && !progress_is_stopped(t->capture->progress)) {
		size_t i = atomic_fetch_add_explicit(&s->next_chunk, 1, memory_order_relaxed);

		if (i >= t->nr)
			break;
		if (t->chunks[i].flags & CHUNK_SAMPLES)
			w->rc = survey_chunk(s, w, (uint32_t)i);
		progress_add(t->capture->progress, t->chunks[i].bytes);
	}
	hash_index_release(&w->index);
	chunk_buffer_release(&w->buf);
}

static int gather_surveys(struct deltas *r, struct surveyor *surveyors, unsigned int nr_workers)
{
	size_t nr = 0;

	for (unsigned int i = 0; i < nr_workers; i++) {
		if (surveyors[i].rc)
			return surveyors[i].rc;
		nr += surveyors[i].nr;
	}
	r->spans = memory_new(r->table->capture->memory, nr + 1, sizeof(*r->spans));
	if (!r->spans)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr_workers; i++)
		for (size_t k = 0; k < surveyors[i].nr; k++)
			r->spans[r->nr++] = surveyors[i].spans[k];
	qsort(r->spans, r->nr, sizeof(*r->spans), delta_compare_spans);
	return 0;
}

/* Samples that a selection leaves out have counted too, so all chunks are needed. */
static int open_table(struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		      struct ts_error *err)
{
	int rc = 0;

	r->table = table;
	if (table->selection) {
		rc = chunk_table_open(&r->whole, table->capture, nr_workers, 0, NULL, err);
		r->table = &r->whole;
	}
	return rc;
}

#define LOOKED_AT_MAX 128 /* ID_INDEX is among the first records */
#define ID_INDEX_TID  40  /* offset of the thread of the first id */

/*
 * Does ID_INDEX name no thread for the first id? Then events count CPUs, although perf sets
 * inherit.
 */
static bool count_cpus(const struct capture *c)
{
	const struct capture_stream *s = &c->streams[0];
	struct chunk_walk walk = {s->map.data + s->begin, s->map.data + s->end};
	const struct perf_event_header *hdr;

	for (int i = 0; s->map.data && i < LOOKED_AT_MAX && (hdr = chunk_walk_next(&walk)); i++)
		if (ts_record_load_u32(hdr) == TS_RECORD_ID_INDEX &&
		    ts_record_load_header(hdr).size >= ID_INDEX_TID + 8)
			return ts_record_load_u64((const uint8_t *)hdr + ID_INDEX_TID) ==
			       UINT64_MAX;
	return false;
}

int deltas_open(struct deltas *r, const struct chunk_table *table, unsigned int nr_workers,
		struct ts_error *err)
{
	struct survey s = {.deltas = r};
	int rc;

	*r = (struct deltas){.events = &table->capture->header.events};
	if (!deltas_are_in(r->events))
		return 0;
	range_layout_init(&r->layout, r->events);
	r->are_of_cpus = count_cpus(table->capture);
	rc = open_table(r, table, nr_workers, err);
	if (rc)
		return rc;
	progress_begin(table->capture->progress, "Reading counters", chunk_table_bytes(r->table));
	s.surveyors = calloc(nr_workers, sizeof(*s.surveyors));
	rc = s.surveyors ? 0 : -ENOMEM;
	if (!rc) {
		workers_run(nr_workers, run_surveyor, &s);
		rc = gather_surveys(r, s.surveyors, nr_workers);
	}
	for (unsigned int i = 0; s.surveyors && i < nr_workers; i++)
		memory_free(s.surveyors[i].spans);
	free(s.surveyors);
	if (!rc)
		return 0;
	deltas_close(r);
	return ts_error_sys(err, -rc, "cannot read the counters of %s", table->capture->path);
}

void deltas_close(struct deltas *r)
{
	memory_free(r->spans);
	chunk_table_close(&r->whole);
	*r = (struct deltas){0};
}
