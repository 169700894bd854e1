// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/aggregate.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/counter.h"
#include "common/perf/record.h"
#include "common/perf/record_type.h"
#include "reader/chunks/chunk_load.h"
#include "reader/runtime/workers.h"
#include "reader/samples/deferred_callchains.h"
#include "reader/samples/deltas.h"
#include "reader/samples/sample_brief.h"
#include "reader/stacks/stack_counter.h"
#include "reader/stacks/tally.h"

#define AHEAD_BYTES 4096 /* records are prefetched this far ahead */

struct shared { /* by all workers */
	/* constant while workers run */
	struct stack_counter_source source;
	const struct chunk_table *table;
	const struct ts_events *events;
	struct sample_brief brief;	     /* of the events */
	struct deltas deltas;		     /* counters that were read at samples */
	struct deferred_callchains deferred; /* user callchains that came in later records */
	struct worker *workers;

	_Alignas(TS_CACHE_LINE) atomic_size_t next_chunk; /* relaxed: only hands out numbers */

	_Alignas(TS_CACHE_LINE) pthread_mutex_t lock; /* of the damage */
	struct damage damage;
};

struct worker { /* all of it the worker's own */
	_Alignas(TS_CACHE_LINE) struct shared *shared;
	struct stack_counter stacker;
	struct delta_walk deltas;
	struct deferred_callchain joined;
	struct unwinder unwinder;
};

/* --- one chunk --- */

/* Prefetches the memory behind `at`, unless it was prefetched before. Returns the new end. */
static const uint8_t *fetch_ahead(const uint8_t *ahead, const uint8_t *at)
{
	const uint8_t *to = at + AHEAD_BYTES;

	for (ahead = ahead < at ? at : ahead; ahead < to; ahead += TS_CACHE_LINE)
		__builtin_prefetch(ahead);
	return ahead;
}

/* Is the sample left out as if it did not exist? */
static bool is_absent(const struct selection *s, uint64_t given_ns, const struct ts_sample_id *sid)
{
	return (s && !selection_takes_record(s, sid)) || (given_ns && sid->time_ns <= given_ns);
}

/*
 * A sample that read counters stands for one sample of each. A sample that is left out goes through
 * delta_take(), too, because the next growth counts from it.
 */
static void add_members(struct worker *w, const struct chunk *chunk, struct ts_sample *s,
			uint32_t cpumode, bool is_left_out)
{
	int nr = delta_take(&w->deltas, s, chunk->stream, chunk->offset);

	if (nr < 0)
		w->stacker.tally.rc = nr;
	for (int i = 0; !is_left_out && !w->stacker.tally.rc && i < nr; i++) {
		delta_give(&w->deltas, i, s);
		stack_counter_add(&w->stacker, s, cpumode);
	}
}

static void read_sample(struct worker *w, const struct chunk *chunk, struct ts_sample *s,
			uint32_t cpumode)
{
	bool absent = is_absent(w->shared->source.selection, chunk->given_ns, &s->sid);

	if (s->deferred_cookie && !absent)
		w->stacker.tally.rc = deferred_callchains_join(&w->shared->deferred, &w->joined, s);
	if (w->unwinder.way != UNWIND_NOT && !absent)
		unwind_join(&w->unwinder, s);
	if (w->deltas.all)
		add_members(w, chunk, s, cpumode, absent);
	else if (!absent)
		stack_counter_add(&w->stacker, s, cpumode);
}

/* An earlier step has counted the samples up to given_ns and the records that cannot be decoded. */
static bool was_read(const struct chunk *chunk)
{
	return chunk->given_ns && chunk->time_min_ns <= chunk->given_ns;
}

static void read_record(struct worker *w, const struct chunk *chunk,
			const struct perf_event_header *hdr, struct ts_sample *sample)
{
	switch (sample_brief_decode(&w->shared->brief, hdr, sample)) {
	case TS_DECODE_OK:
		read_sample(w, chunk, sample,
			    ts_record_load_header(hdr).misc & PERF_RECORD_MISC_CPUMODE_MASK);
		break;
	case TS_DECODE_UNKNOWN_EVENT:
		w->stacker.tally.nr_unknown += !was_read(chunk);
		break;
	case TS_DECODE_BAD:
		w->stacker.tally.nr_bad += !was_read(chunk);
		break;
	}
}

/*
 * Is it of a type of one size, but has another: a sample, perhaps, whose type was damaged? Those
 * about tasks are looked at by their replay.
 */
static bool is_misfit(const struct worker *w, const struct perf_event_header *hdr, uint32_t type)
{
	struct ts_sample_id ignored;

	if (!ts_record_type_is_exact(type) && type != PERF_RECORD_READ)
		return false;
	return !(CHUNK_TASK_TYPES >> type & 1) &&
	       ts_decode_trailer(w->shared->brief.events, hdr, &ignored) == TS_DECODE_BAD;
}

/* Counts a record that is no sample if it is of an unknown type, or does not fit its type. */
static void read_other(struct worker *w, const struct chunk *chunk,
		       const struct perf_event_header *hdr, uint32_t type)
{
	if (!ts_record_type_name(type))
		w->stacker.tally.nr_newer += !was_read(chunk);
	else if (is_misfit(w, hdr, type))
		w->stacker.tally.nr_bad += !was_read(chunk);
}

static void read_records(struct worker *w, const struct chunk *chunk, const uint8_t *records,
			 size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;
	const uint8_t *ahead = records;
	struct ts_sample sample = {0};

	while (!w->stacker.tally.rc && (hdr = chunk_walk_next(&walk))) {
		const uint32_t type = ts_record_load_u32(hdr);

		ahead = fetch_ahead(ahead, (const uint8_t *)hdr);
		if (type == PERF_RECORD_SAMPLE)
			read_record(w, chunk, hdr, &sample);
		else
			read_other(w, chunk, hdr, type);
	}
}

/* Reads samples in the order of time, because the growth of counters depends on it. */
static void read_in_order(struct worker *w, const struct chunk *chunk, const uint8_t *records,
			  size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;
	struct ts_sample sample = {0};

	delta_begin(&w->deltas, 0);
	w->stacker.tally.rc = delta_list(&w->deltas, records, len);
	for (size_t i = 0; !w->stacker.tally.rc && i < w->deltas.nr_order; i++)
		read_record(w, chunk, (const void *)(records + w->deltas.order[i].offset), &sample);
	while (!w->stacker.tally.rc && (hdr = chunk_walk_next(&walk))) {
		const uint32_t type = ts_record_load_u32(hdr);

		if (type != PERF_RECORD_SAMPLE)
			read_other(w, chunk, hdr, type);
	}
}

static int add_damage(struct shared *shared, const struct chunk *chunk,
		      const struct chunk_buffer *buf, const struct ts_error *err)
{
	struct chunk_damage place = chunk_damaged(chunk, buf, err);
	int rc;

	pthread_mutex_lock(&shared->lock);
	rc = damage_add(&shared->damage, &place);
	pthread_mutex_unlock(&shared->lock);
	return rc;
}

/* The next chunk that no worker has taken; NULL: none is left, or reading was stopped. */
static const struct chunk *take_chunk(struct shared *shared)
{
	size_t i = atomic_fetch_add_explicit(&shared->next_chunk, 1, memory_order_relaxed);

	if (progress_is_stopped(shared->table->capture->progress))
		return NULL;
	return i < shared->table->nr ? &shared->table->chunks[i] : NULL;
}

/* 0 or -ENOMEM. */
static int read_chunk(struct worker *w, const struct chunk *chunk, struct chunk_buffer *buf)
{
	const struct chunk_table *table = w->shared->table;
	const uint8_t *records;
	struct ts_error err;
	size_t len;
	int rc;

	if (!(chunk->flags & CHUNK_SAMPLES) || !chunk_may_match(table, chunk))
		return 0;
	rc = chunk_read(table, chunk, buf, &records, &len, &err);
	if (rc >= 0 && w->deltas.all)
		read_in_order(w, chunk, records, len);
	else if (rc >= 0)
		read_records(w, chunk, records, len);
	if (rc == -EBADMSG || rc == CHUNK_SALVAGED)
		rc = add_damage(w->shared, chunk, buf, &err);
	stack_counter_catch_up(&w->stacker);
	progress_add(table->capture->progress, chunk->bytes);
	return rc ? rc : w->stacker.tally.rc;
}

static int open_unwinder(struct worker *w)
{
	const struct stack_counter_source *s = &w->shared->source;

	const enum unwind_way way =
		unwind_way_of(&w->shared->table->capture->header, s->plan->unwind);

	return unwinder_init(&w->unwinder, w->shared->events, s->tasks, s->symbols,
			     s->plan->with_chains ? way : UNWIND_NOT, s->plan->max_unwound);
}

static void run_worker(void *arg, unsigned int n)
{
	struct shared *shared = arg;
	struct worker *w = &shared->workers[n];
	struct chunk_buffer buf = {0};
	const struct chunk *chunk;

	w->shared = shared;
	delta_init(&w->deltas, &shared->deltas);
	w->stacker.tally.rc = stack_counter_init(&w->stacker, &shared->source);
	if (!w->stacker.tally.rc)
		w->stacker.tally.rc = open_unwinder(w);
	while (!w->stacker.tally.rc && (chunk = take_chunk(shared)))
		w->stacker.tally.rc = read_chunk(w, chunk, &buf);
	stack_counter_finish(&w->stacker, progress_is_stopped(shared->table->capture->progress));
	w->stacker.tally.nr_unknown += w->deltas.nr_unknown;
	delta_release(&w->deltas);
	w->stacker.tally.nr_cut = w->joined.nr_missing;
	deferred_callchain_release(&w->joined);
	w->stacker.tally.unwound = w->unwinder.counts;
	unwinder_release(&w->unwinder);
	stacks_forget(&w->stacker.tally.stacks);
	chunk_buffer_release(&buf);
}

/* --- the whole --- */

/* The bytes of all chunks that have samples and may match the selection. */
static uint64_t bytes_to_read(const struct chunk_table *t)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (t->chunks[i].flags & CHUNK_SAMPLES && chunk_may_match(t, &t->chunks[i]))
			bytes += t->chunks[i].bytes;
	return bytes;
}

static int open_workers(struct shared *shared)
{
	const size_t bytes = shared->source.plan->nr_workers * sizeof(*shared->workers);

	shared->workers = aligned_alloc(TS_CACHE_LINE, bytes);
	if (!shared->workers)
		return -ENOMEM;
	memset(shared->workers, 0, bytes);
	return sample_brief_init(&shared->brief, shared->events);
}

static void close_workers(struct shared *shared)
{
	for (unsigned int i = 0; shared->workers && i < shared->source.plan->nr_workers; i++)
		tally_release(&shared->workers[i].stacker.tally);
	free(shared->workers);
	deferred_callchains_close(&shared->deferred);
	deltas_close(&shared->deltas);
	sample_brief_release(&shared->brief);
	damage_release(&shared->damage);
}

/* Adds the tallies of the workers to the result. */
static int add_tallies(struct shared *shared, struct aggregate *a, struct ts_error *err)
{
	const unsigned int nr = shared->source.plan->nr_workers;
	struct tally **tallies = calloc(nr, sizeof(*tallies));
	int rc;

	if (!tallies)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++)
		tallies[i] = &shared->workers[i].stacker.tally;
	rc = tallies_add(a, tallies, nr, shared->source.plan, shared->events->nr, err);
	free(tallies);
	if (!rc)
		rc = damage_merge(&a->damage, &shared->damage);
	damage_sort(&a->damage);
	return rc;
}

int aggregate_add(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct tasks *tasks,
		  struct symbols *symbols, struct ts_error *err)
{
	struct shared shared = {
		.source = {.plan = plan,
			   .selection = table->selection,
			   .tasks = tasks,
			   .symbols = symbols,
			   .memory = a->memory,
			   .nr_events = table->capture->header.events.nr,
			   .mix_pid = symbols_may_be_of_one_process(tasks)},
		.table = table,
		.events = &table->capture->header.events,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int rc = open_workers(&shared);

	*err = (struct ts_error){0};
	if (!rc)
		rc = deltas_open(&shared.deltas, table, plan->nr_workers, err);
	if (!rc)
		rc = deferred_callchains_open(&shared.deferred, table, plan->nr_workers, err);
	if (!rc) {
		progress_begin(table->capture->progress, "Counting samples", bytes_to_read(table));
		workers_run(plan->nr_workers, run_worker, &shared);
		rc = add_tallies(&shared, a, err);
	}
	close_workers(&shared);
	if (!rc)
		return 0;
	aggregate_release(a);
	return err->code ? rc : ts_error_sys(err, -rc, "cannot aggregate samples");
}

int aggregate_run(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct tasks *tasks,
		  struct symbols *symbols, struct ts_error *err)
{
	struct memory *memory = table->capture->memory;

	*a = (struct aggregate){.memory = memory, .frames.memory = memory, .comms.memory = memory};
	if (plan->tags)
		tags_init(&a->tags, plan->tags, NULL, NULL, err); /* no source: cannot fail */
	a->tags.texts.memory = memory;
	return aggregate_add(a, plan, table, tasks, symbols, err);
}

uint64_t aggregate_nr_samples(const struct aggregate *a)
{
	uint64_t nr = 0;

	for (unsigned int part = 0; part < a->nr_parts; part++)
		for (uint32_t i = 0; i < a->parts[part].nr; i++)
			nr += a->parts[part].items[i].nr_samples;
	return nr;
}

uint64_t *aggregate_first_stacks(const struct aggregate *a, uint64_t *ret_nr)
{
	uint64_t *first = memory_new(a->memory, a->nr_parts + 1, sizeof(*first));

	for (unsigned int i = 0; first && i < a->nr_parts; i++)
		first[i + 1] = first[i] + a->parts[i].nr;
	*ret_nr = first ? first[a->nr_parts] : 0;
	return first;
}

void aggregate_release(struct aggregate *a)
{
	for (unsigned int i = 0; i < a->nr_parts; i++)
		stacks_release(&a->parts[i]);
	free(a->parts);
	for (unsigned int i = 0; i < a->nr_logs; i++)
		sample_log_release(&a->logs[i]);
	free(a->logs);
	frames_release(&a->frames);
	name_table_release(&a->comms);
	tags_release(&a->tags);
	free(a->rest);
	damage_release(&a->damage);
	*a = (struct aggregate){0};
}
