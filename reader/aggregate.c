// SPDX-License-Identifier: Apache-2.0
#include "reader/aggregate.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/counter.h"
#include "common/record.h"
#include "common/sample_brief.h"
#include "reader/chunk_load.h"
#include "reader/deferred.h"
#include "reader/deltas.h"
#include "reader/raw_key.h"
#include "reader/tally.h"
#include "reader/workers.h"

#define MOMENTS	    256	 /* threads whose moment is remembered; power of two */
#define COMMS	    256	 /* command names whose number is remembered; power of two */
#define AHEAD_BYTES 4096 /* of records are fetched before they are looked at */
#define CHAIN_MAX   8192 /* more entries than fit in a record */

struct shared { /* by all workers */
	/* constant while workers run */
	const struct aggregate_plan *plan;
	const struct chunk_table *table;
	const struct selection *selection; /* NULL: everything */
	const struct ts_tasks *tasks;
	struct symbols *symbols;
	const struct ts_events *events;
	struct ts_brief brief;	  /* of the events */
	struct deltas deltas;	  /* of counters that were read at samples */
	struct deferred deferred; /* parts of callchains that came later */
	bool mix_pid; /* equal maps of two processes may mean different symbols: generated code */
	struct spill *spill;
	struct worker *workers;

	_Alignas(TS_CACHE_LINE) atomic_size_t next_chunk; /* relaxed: only hands out numbers */

	_Alignas(TS_CACHE_LINE) pthread_mutex_t lock; /* of the damage */
	struct damage damage;
};

struct moment_slot {
	uint32_t pid, tid;
	struct ts_moment moment; /* until_ns 0: free */
	bool is_rest;		 /* the selection does not show this thread */
};

struct comm_slot {
	const char *text;
	uint32_t number;
};

struct worker { /* all of it the worker's own */
	_Alignas(TS_CACHE_LINE) struct shared *shared;
	struct tally tally;
	struct ts_moment kernel;
	struct moment_slot moments[MOMENTS];
	struct comm_slot comm_slots[COMMS];
	uint32_t chain[CHAIN_MAX];
	struct delta_walk deltas;
	struct deferred_chain joined;
};

/* --- what holds at the sample's time --- */

static bool holds(const struct ts_moment *m, uint64_t time_ns)
{
	return time_ns >= m->from_ns && time_ns < m->until_ns;
}

static bool is_thread_of_rest(const struct worker *w, const struct moment_slot *slot)
{
	const struct selection *s = w->shared->selection;

	return s && !selection_takes_thread(s, slot->pid, slot->tid, slot->moment.comm);
}

static const struct moment_slot *find_moment(struct worker *w, const struct ts_sample_id *sid)
{
	struct moment_slot *slot = &w->moments[sid->tid & (MOMENTS - 1)];

	if (slot->pid != sid->pid || slot->tid != sid->tid || !holds(&slot->moment, sid->time_ns)) {
		slot->pid = sid->pid;
		slot->tid = sid->tid;
		ts_tasks_moment(w->shared->tasks, sid->pid, sid->tid, sid->time_ns, &slot->moment);
		slot->is_rest = is_thread_of_rest(w, slot);
	}
	return slot;
}

static uint64_t kernel_space(struct worker *w, uint64_t time_ns)
{
	if (!holds(&w->kernel, time_ns))
		ts_tasks_moment(w->shared->tasks, TS_PID_KERNEL, TS_PID_KERNEL, time_ns,
				&w->kernel);
	return w->kernel.space;
}

static uint32_t unnamed_comm(struct worker *w, uint32_t tid)
{
	char buf[UNNAMED_MAX];

	return names_intern(&w->tally.comms, names_unnamed(tid, buf));
}

static uint32_t find_comm(struct worker *w, const struct ts_moment *moment, uint32_t tid)
{
	struct comm_slot *slot;

	if (!w->shared->plan->by_comm)
		return 0;
	if (!moment->comm)
		return unnamed_comm(w, tid);
	slot = &w->comm_slots[((uintptr_t)moment->comm >> 4) & (COMMS - 1)];
	if (slot->text != moment->comm) {
		slot->text = moment->comm;
		slot->number = names_intern(&w->tally.comms, moment->comm);
	}
	return slot->number;
}

/* --- one sample --- */

/* The mode that a context marker switches to; 0: one that nobody knows. */
static uint32_t context_mode(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	default:
		return 0;
	}
}

/* Keeps at most max_frames of a chain; returns how many it has then. */
static uint32_t cut_chain(struct worker *w, uint32_t nr)
{
	uint32_t max = w->shared->plan->max_frames;

	if (nr <= max)
		return nr;
	if (w->shared->plan->keep_roots)
		memmove(w->chain, w->chain + (nr - max), max * sizeof(*w->chain));
	return max;
}

/* Are the callees of this function left out? */
static bool is_ignored(const struct worker *w, uint32_t frame)
{
	const regex_t *ignored = w->shared->plan->ignored;
	const struct symbol *symbol;

	if (!ignored || frame == FRAME_NONE)
		return false;
	symbol = w->tally.resolver.frames.items[frame].symbol;
	return symbol && !regexec(ignored, symbol->name, 0, NULL, 0);
}

/*
 * Resolves a callchain into w->chain, leaf first; returns its length. Where callees are ignored
 * the sample was taken in their caller: *leaf is changed.
 */
static uint32_t resolve_chain(struct worker *w, const struct ts_words *chain,
			      const struct frame_place *place, uint32_t *leaf)
{
	uint32_t mode = PERF_RECORD_MISC_USER, nr = 0;

	for (uint64_t i = 0; i < chain->nr && nr < CHAIN_MAX; i++) {
		uint64_t ip = ts_word(chain, i);
		uint32_t frame;

		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			mode = context_mode(ip);
			if (!mode)
				return 0;
			continue;
		}
		frame = resolver_find(&w->tally.resolver, place, mode, ip);
		if (frame == FRAME_NONE)
			w->tally.rc = -ENOMEM;
		if (is_ignored(w, frame)) {
			*leaf = frame;
			nr = 0;
		}
		w->chain[nr++] = frame;
	}
	return cut_chain(w, nr);
}

/* What is remembered of the addresses of samples that the selection does not show. */
#define STACK_REST (STACK_NONE - 1)

static void add_rest(struct worker *w, const struct ts_sample *s)
{
	w->tally.rest[s->sid.event].period += s->period;
	w->tally.rest[s->sid.event].nr_samples++;
}

static bool is_place_of_rest(const struct worker *w, uint32_t leaf)
{
	const struct selection *s = w->shared->selection;
	const struct frame *frame = &w->tally.resolver.frames.items[leaf];

	return s && selection_has_places(s) &&
	       !selection_takes_place(s, frame->module, frame->symbol);
}

static uint32_t new_stack(struct worker *w, const struct ts_sample *s, const struct raw_key *raw,
			  const struct ts_moment *moment)
{
	struct frame_place place = {
		.pid = s->sid.pid,
		.space = raw->space,
		.kernel_space = raw->kernel_space,
		.time_ns = s->sid.time_ns,
	};
	struct stack_key key = {
		.event = w->shared->plan->is_one_event ? 0 : (uint32_t)raw->event,
		.comm = find_comm(w, moment, s->sid.tid),
		.tid = (uint32_t)raw->tid,
		.tag = (uint32_t)raw->tag,
		.leaf = resolver_find(&w->tally.resolver, &place, (uint32_t)raw->cpumode, s->ip),
	};
	uint32_t nr = 0;

	if (key.leaf == FRAME_NONE || key.comm == NAMES_NONE)
		return STACK_NONE;
	if (is_place_of_rest(w, key.leaf))
		return STACK_REST;
	if (w->shared->plan->with_chains && s->callchain.data)
		nr = resolve_chain(w, &s->callchain, &place, &key.leaf);
	return w->tally.rc ? STACK_NONE : stacks_intern(&w->tally.stacks, &key, w->chain, nr);
}

static void add_sample(struct worker *w, const struct ts_sample *s, uint32_t cpumode)
{
	const struct aggregate_plan *plan = w->shared->plan;
	const struct moment_slot *slot = find_moment(w, &s->sid);
	const struct ts_moment *moment = &slot->moment;
	bool has_chain = plan->with_chains && s->callchain.data;
	struct raw_key raw = {
		.space = moment->space,
		.kernel_space = kernel_space(w, s->sid.time_ns),
		.ip = s->ip,
		.comm = plan->by_comm ? (uintptr_t)moment->comm : 0,
		.event = s->sid.event,
		.tid = plan->by_tid || (plan->by_comm && !moment->comm) ? s->sid.tid : 0,
		.cpumode = cpumode,
	};
	XXH128_hash_t hash;
	uint32_t stack;

	if (slot->is_rest) {
		add_rest(w, s);
		return;
	}
	if (plan->tags)
		raw.tag = tags_number(&w->tally.tags, s);
	if (raw.tag == TAG_NONE) {
		w->tally.rc = -ENOMEM;
		return;
	}
	if (w->shared->mix_pid)
		raw.space ^= (uint64_t)s->sid.pid << 32;
	hash = raw_key_hash(&raw, has_chain ? &s->callchain : NULL);
	stack = stacks_recall(&w->tally.stacks, hash.low64, hash.high64);
	if (stack == STACK_NONE) {
		/* it was hashed only because a thread without a name is called by its number */
		if (!plan->by_tid)
			raw.tid = 0;
		stack = new_stack(w, s, &raw, moment);
		if (stack == STACK_NONE) {
			w->tally.rc = -ENOMEM;
			return;
		}
		stacks_remember(&w->tally.stacks, hash.low64, hash.high64, stack);
	}
	if (stack == STACK_REST) {
		add_rest(w, s);
		return;
	}
	stacks_add(&w->tally.stacks, stack,
		   &(struct stack_hits){s->period, 1, s->sid.time_ns, s->sid.pid, s->sid.tid});
}

/* --- one chunk --- */

/* Has the memory behind `at` fetched, as far as it was not before; returns how far it is now. */
static const uint8_t *fetch(const uint8_t *ahead, const uint8_t *at)
{
	const uint8_t *to = at + AHEAD_BYTES;

	for (ahead = ahead < at ? at : ahead; ahead < to; ahead += TS_CACHE_LINE)
		__builtin_prefetch(ahead);
	return ahead;
}

/* Is the sample left out as if it were not there? */
static bool is_absent(const struct selection *s, uint64_t given_ns, const struct ts_sample_id *sid)
{
	return (s && !selection_takes_record(s, sid)) || (given_ns && sid->time_ns <= given_ns);
}

/* A sample at which counters were read stands for one of each, also where it is left out. */
static void add_members(struct worker *w, const struct chunk *chunk, struct ts_sample *s,
			uint32_t cpumode, bool is_left_out)
{
	int nr = delta_take(&w->deltas, s, chunk->stream, chunk->offset);

	if (nr < 0)
		w->tally.rc = nr;
	for (int i = 0; !is_left_out && !w->tally.rc && i < nr; i++) {
		delta_give(&w->deltas, i, s);
		add_sample(w, s, cpumode);
	}
}

static void read_sample(struct worker *w, const struct chunk *chunk, struct ts_sample *s,
			uint32_t cpumode)
{
	bool absent = is_absent(w->shared->selection, chunk->given_ns, &s->sid);

	if (s->deferred_cookie && !absent)
		w->tally.rc = deferred_join(&w->shared->deferred, &w->joined, s);
	if (w->deltas.all)
		add_members(w, chunk, s, cpumode, absent);
	else if (!absent)
		add_sample(w, s, cpumode);
}

static void read_record(struct worker *w, const struct chunk *chunk,
			const struct perf_event_header *hdr, struct ts_sample *sample)
{
	/* Of what grows: its samples up to there were counted, and what cannot be decoded. */
	const bool was_read = chunk->given_ns && chunk->time_min_ns <= chunk->given_ns;

	switch (ts_decode_brief(&w->shared->brief, hdr, sample)) {
	case TS_DECODE_OK:
		read_sample(w, chunk, sample,
			    ts_load_header(hdr).misc & PERF_RECORD_MISC_CPUMODE_MASK);
		break;
	case TS_DECODE_UNKNOWN_EVENT:
		w->tally.nr_unknown += !was_read;
		break;
	case TS_DECODE_BAD:
		w->tally.nr_bad += !was_read;
		break;
	}
}

static void read_records(struct worker *w, const struct chunk *chunk, const uint8_t *records,
			 size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct perf_event_header *hdr;
	const uint8_t *ahead = records;
	struct ts_sample sample = {0};

	while (!w->tally.rc && (hdr = chunk_walk_next(&walk))) {
		ahead = fetch(ahead, (const uint8_t *)hdr);
		if (ts_load_u32(hdr) == PERF_RECORD_SAMPLE)
			read_record(w, chunk, hdr, &sample);
	}
}

/* In order of time: what counters have grown by depends on it. */
static void read_in_order(struct worker *w, const struct chunk *chunk, const uint8_t *records,
			  size_t len)
{
	struct ts_sample sample = {0};

	delta_begin(&w->deltas, 0);
	w->tally.rc = delta_list(&w->deltas, records, len);
	for (size_t i = 0; !w->tally.rc && i < w->deltas.nr_order; i++)
		read_record(w, chunk, (const void *)(records + w->deltas.order[i].offset), &sample);
}

static int add_damage(struct shared *shared, const struct chunk *chunk, const struct ts_error *err)
{
	struct chunk_damage place = chunk_damaged(chunk, err);
	int rc;

	pthread_mutex_lock(&shared->lock);
	rc = damage_add(&shared->damage, &place);
	pthread_mutex_unlock(&shared->lock);
	return rc;
}

/* The next chunk that nobody has taken; NULL: there is none. */
static const struct chunk *take_chunk(struct shared *shared)
{
	size_t i = atomic_fetch_add_explicit(&shared->next_chunk, 1, memory_order_relaxed);

	if (progress_is_stopped(shared->table->capture->progress))
		return NULL;
	return i < shared->table->nr ? &shared->table->chunks[i] : NULL;
}

static int open_tally(const struct shared *shared, struct tally *t)
{
	const struct aggregate_plan *plan = shared->plan;
	int rc = resolver_init(&t->resolver, shared->symbols, plan->by_address, shared->spill);

	t->stacks.spill = shared->spill;
	t->comms.spill = shared->spill;
	if (!rc && plan->tags)
		rc = tags_init(&t->tags, plan->tags, plan->tag_source, shared->symbols, &t->err);
	t->tags.texts.spill = shared->spill;
	if (rc || !shared->selection)
		return rc;
	t->rest = calloc(shared->events->nr + 1, sizeof(*t->rest));
	return t->rest ? 0 : -ENOMEM;
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
	rc = chunk_load(table, chunk, buf, &records, &len, &err);
	if (rc == -EBADMSG)
		rc = add_damage(w->shared, chunk, &err);
	else if (!rc && w->deltas.all)
		read_in_order(w, chunk, records, len);
	else if (!rc)
		read_records(w, chunk, records, len);
	chunk_unload(table, chunk);
	progress_add(table->capture->progress, chunk->bytes);
	return rc ? rc : w->tally.rc;
}

static void run_worker(void *arg, unsigned int n)
{
	struct shared *shared = arg;
	struct worker *w = &shared->workers[n];
	struct chunk_buffer buf = {0};
	const struct chunk *chunk;

	w->shared = shared;
	delta_init(&w->deltas, &shared->deltas);
	w->tally.rc = open_tally(shared, &w->tally);
	while (!w->tally.rc && (chunk = take_chunk(shared)))
		w->tally.rc = read_chunk(w, chunk, &buf);
	w->tally.nr_unknown += w->deltas.nr_unknown;
	delta_release(&w->deltas);
	w->tally.nr_cut = w->joined.nr_missing;
	deferred_chain_release(&w->joined);
	stacks_forget(&w->tally.stacks);
	chunk_buffer_release(&buf);
}

/* --- the whole --- */

/* Of the chunks with samples that are wanted. */
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
	const size_t bytes = shared->plan->nr_workers * sizeof(*shared->workers);

	shared->workers = aligned_alloc(TS_CACHE_LINE, bytes);
	if (!shared->workers)
		return -ENOMEM;
	memset(shared->workers, 0, bytes);
	return ts_brief_init(&shared->brief, shared->events);
}

static void close_workers(struct shared *shared)
{
	for (unsigned int i = 0; shared->workers && i < shared->plan->nr_workers; i++)
		tally_release(&shared->workers[i].tally);
	free(shared->workers);
	deferred_close(&shared->deferred);
	deltas_close(&shared->deltas);
	ts_brief_release(&shared->brief);
	damage_release(&shared->damage);
}

/* What the workers have counted is added to the result. */
static int add_tallies(struct shared *shared, struct aggregate *a, struct ts_error *err)
{
	const unsigned int nr = shared->plan->nr_workers;
	struct tally **tallies = calloc(nr, sizeof(*tallies));
	int rc;

	if (!tallies)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++)
		tallies[i] = &shared->workers[i].tally;
	rc = tallies_add(a, tallies, nr, shared->plan, shared->events->nr, err);
	free(tallies);
	if (!rc)
		rc = damage_merge(&a->damage, &shared->damage);
	damage_sort(&a->damage);
	return rc;
}

int aggregate_add(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct ts_tasks *tasks,
		  struct symbols *symbols, struct ts_error *err)
{
	struct shared shared = {
		.plan = plan,
		.table = table,
		.selection = table->selection,
		.tasks = tasks,
		.symbols = symbols,
		.events = &table->capture->header.events,
		.mix_pid = symbols_are_generated(tasks),
		.spill = a->spill,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int rc = open_workers(&shared);

	*err = (struct ts_error){0};
	if (!rc)
		rc = deltas_open(&shared.deltas, table, plan->nr_workers, err);
	if (!rc)
		rc = deferred_open(&shared.deferred, table, plan->nr_workers, err);
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
		  const struct chunk_table *table, const struct ts_tasks *tasks,
		  struct symbols *symbols, struct ts_error *err)
{
	struct spill *spill = table->capture->spill;

	*a = (struct aggregate){.spill = spill, .frames.spill = spill, .comms.spill = spill};
	if (plan->tags)
		tags_init(&a->tags, plan->tags, NULL, NULL, err); /* shared ones: cannot fail */
	a->tags.texts.spill = spill;
	return aggregate_add(a, plan, table, tasks, symbols, err);
}

void aggregate_release(struct aggregate *a)
{
	for (unsigned int i = 0; i < a->nr_parts; i++)
		stacks_release(&a->parts[i]);
	free(a->parts);
	frames_release(&a->frames);
	names_release(&a->comms);
	tags_release(&a->tags);
	free(a->rest);
	damage_release(&a->damage);
	*a = (struct aggregate){0};
}
