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
#include "reader/raw_key.h"
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
	struct ts_brief brief; /* of the events */
	bool mix_pid; /* equal maps of two processes may mean different symbols: generated code */
	struct worker *workers;

	_Alignas(TS_CACHE_LINE) atomic_size_t next_chunk; /* relaxed: only hands out numbers */

	_Alignas(TS_CACHE_LINE) pthread_mutex_t lock; /* of the damage in *result */
	struct aggregate *result;
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
	struct stacks stacks;
	struct names comms;
	struct tags tags;
	struct resolver resolver;
	struct ts_moment kernel;
	struct moment_slot moments[MOMENTS];
	struct comm_slot comm_slots[COMMS];
	uint32_t chain[CHAIN_MAX];
	struct aggregate_rest *rest; /* by event; NULL without a selection */
	uint64_t nr_unknown, nr_bad;
	uint32_t *frame_numbers, *comm_numbers, *tag_numbers; /* own number -> common one */
	int rc;
	struct ts_error err; /* its code is 0 where rc says all */
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

	return names_intern(&w->comms, names_unnamed(tid, buf));
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
		slot->number = names_intern(&w->comms, moment->comm);
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
	symbol = w->resolver.frames.items[frame].symbol;
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
		frame = resolver_find(&w->resolver, place, mode, ip);
		if (frame == FRAME_NONE)
			w->rc = -ENOMEM;
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
	w->rest[s->sid.event].period += s->period;
	w->rest[s->sid.event].nr_samples++;
}

static bool is_place_of_rest(const struct worker *w, uint32_t leaf)
{
	const struct selection *s = w->shared->selection;
	const struct frame *frame = &w->resolver.frames.items[leaf];

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
		.leaf = resolver_find(&w->resolver, &place, (uint32_t)raw->cpumode, s->ip),
	};
	uint32_t nr = 0;

	if (key.leaf == FRAME_NONE || key.comm == NAMES_NONE)
		return STACK_NONE;
	if (is_place_of_rest(w, key.leaf))
		return STACK_REST;
	if (w->shared->plan->with_chains && s->callchain.data)
		nr = resolve_chain(w, &s->callchain, &place, &key.leaf);
	return w->rc ? STACK_NONE : stacks_intern(&w->stacks, &key, w->chain, nr);
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
		raw.tag = tags_number(&w->tags, s);
	if (raw.tag == TAG_NONE) {
		w->rc = -ENOMEM;
		return;
	}
	if (w->shared->mix_pid)
		raw.space ^= (uint64_t)s->sid.pid << 32;
	hash = raw_key_hash(&raw, has_chain ? &s->callchain : NULL);
	stack = stacks_recall(&w->stacks, hash.low64, hash.high64);
	if (stack == STACK_NONE) {
		/* it was hashed only because a thread without a name is called by its number */
		if (!plan->by_tid)
			raw.tid = 0;
		stack = new_stack(w, s, &raw, moment);
		if (stack == STACK_NONE) {
			w->rc = -ENOMEM;
			return;
		}
		stacks_remember(&w->stacks, hash.low64, hash.high64, stack);
	}
	if (stack == STACK_REST) {
		add_rest(w, s);
		return;
	}
	stacks_add(&w->stacks, stack,
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

static void read_records(struct worker *w, uint64_t given_ns, const uint8_t *records, size_t len)
{
	struct chunk_walk walk = {records, records + len};
	const struct selection *selection = w->shared->selection;
	const struct perf_event_header *hdr;
	const uint8_t *ahead = records;
	struct ts_sample sample = {0};

	while (!w->rc && (hdr = chunk_walk_next(&walk))) {
		struct perf_event_header h = ts_load_header(hdr);

		ahead = fetch(ahead, (const uint8_t *)hdr);
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		switch (ts_decode_brief(&w->shared->brief, hdr, &sample)) {
		case TS_DECODE_OK:
			if (is_absent(selection, given_ns, &sample.sid))
				break;
			add_sample(w, &sample, h.misc & PERF_RECORD_MISC_CPUMODE_MASK);
			break;
		case TS_DECODE_UNKNOWN_EVENT:
			w->nr_unknown++;
			break;
		case TS_DECODE_BAD:
			w->nr_bad++;
			break;
		}
	}
}

static int add_damage(struct shared *shared, const struct chunk *chunk, const struct ts_error *err)
{
	struct chunk_damage place = chunk_damaged(chunk, err);
	int rc;

	pthread_mutex_lock(&shared->lock);
	rc = damage_add(&shared->result->damage, &place);
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

static void run_worker(void *arg, unsigned int n)
{
	struct shared *shared = arg;
	struct worker *w = &shared->workers[n];
	struct chunk_buffer buf = {0};
	const struct chunk *chunk;
	const uint8_t *records;
	struct ts_error err;
	size_t len;

	w->shared = shared;
	w->stacks.spill = shared->result->spill;
	w->comms.spill = shared->result->spill;
	w->rc = resolver_init(&w->resolver, shared->symbols, shared->plan->by_address,
			      shared->result->spill);
	if (!w->rc && shared->plan->tags)
		w->rc = tags_init(&w->tags, shared->plan->tags, shared->plan->tag_source,
				  shared->symbols, &w->err);
	w->tags.texts.spill = shared->result->spill;
	if (!w->rc && shared->selection) {
		w->rest = calloc(shared->events->nr + 1, sizeof(*w->rest));
		w->rc = w->rest ? 0 : -ENOMEM;
	}
	while (!w->rc && (chunk = take_chunk(shared))) {
		int rc;

		if (!(chunk->flags & CHUNK_SAMPLES) || !chunk_may_match(shared->table, chunk))
			continue;
		rc = chunk_load(shared->table, chunk, &buf, &records, &len, &err);
		if (!rc)
			read_records(w, chunk->given_ns, records, len);
		else if (rc == -EBADMSG)
			w->rc = add_damage(shared, chunk, &err);
		else
			w->rc = rc;
		chunk_unload(shared->table, chunk);
		progress_add(shared->table->capture->progress, chunk->bytes);
	}
	stacks_forget(&w->stacks);
	chunk_buffer_release(&buf);
}

/* --- reduction --- */

static int share_tags(struct aggregate *a, struct worker *w)
{
	w->tag_numbers = spill_new(a->spill, (size_t)w->tags.nr + 1, sizeof(*w->tag_numbers));
	return w->tag_numbers ? tags_share(&a->tags, &w->tags, w->tag_numbers) : -ENOMEM;
}

/* Gives the worker's frames and names the numbers that all workers share. */
static int share_numbers(struct aggregate *a, struct worker *w)
{
	const struct frames *frames = &w->resolver.frames;

	w->frame_numbers = spill_new(a->spill, (size_t)frames->nr + 1, sizeof(*w->frame_numbers));
	w->comm_numbers = spill_new(a->spill, (size_t)w->comms.nr + 1, sizeof(*w->comm_numbers));
	if (!w->frame_numbers || !w->comm_numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->nr; i++) {
		w->frame_numbers[i] = frames_intern(&a->frames, &frames->items[i]);
		if (w->frame_numbers[i] == FRAME_NONE)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < w->comms.nr; i++) {
		w->comm_numbers[i] = names_intern(&a->comms, w->comms.items[i]);
		if (w->comm_numbers[i] == NAMES_NONE)
			return -ENOMEM;
	}
	return w->tags.plan ? share_tags(a, w) : 0;
}

static int share_rest(struct shared *shared, const struct worker *w)
{
	struct aggregate *a = shared->result;

	if (!a->rest)
		a->rest = calloc(shared->events->nr + 1, sizeof(*a->rest));
	if (!a->rest)
		return -ENOMEM;
	for (size_t i = 0; w->rest && i < shared->events->nr; i++) {
		struct aggregate_rest *rest = &a->rest[shared->plan->is_one_event ? 0 : i];

		rest->period += w->rest[i].period;
		rest->nr_samples += w->rest[i].nr_samples;
	}
	return 0;
}

/* The first worker's numbers are the common ones, where they can be. */
static int share_all_numbers(struct shared *shared, struct ts_error *err)
{
	struct aggregate *a = shared->result;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < shared->plan->nr_workers; i++) {
		struct worker *w = &shared->workers[i];

		a->nr_unknown += w->nr_unknown;
		a->nr_bad += w->nr_bad;
		rc = w->rc ? w->rc : share_numbers(a, w);
		if (rc && w->err.code)
			*err = w->err;
		rc = rc ? rc : share_rest(shared, w);
	}
	return rc;
}

/* Rewrites the worker's own stacks with the common numbers. */
static void renumber(void *arg, unsigned int n)
{
	struct shared *shared = arg;
	struct worker *w = &shared->workers[n];

	stacks_renumber(&w->stacks, w->frame_numbers, w->comm_numbers, w->tag_numbers);
}

/* Merges one part of all workers' stacks. */
static void merge_part(void *arg, unsigned int n)
{
	struct shared *shared = arg;
	unsigned int nr_parts = shared->plan->nr_workers;
	struct stacks *part = &shared->result->parts[n];
	int rc = 0;

	part->spill = shared->result->spill;
	for (unsigned int i = 0; !rc && i < nr_parts; i++)
		rc = stacks_merge(part, &shared->workers[i].stacks, n, nr_parts);
	shared->workers[n].rc = rc;
}

static int merge_stacks(struct shared *shared)
{
	unsigned int nr = shared->plan->nr_workers;
	struct aggregate *a = shared->result;
	int rc = 0;

	a->parts = calloc(nr, sizeof(*a->parts));
	if (!a->parts)
		return -ENOMEM;
	a->nr_parts = nr;
	workers_run(nr, renumber, shared);
	if (nr == 1) {
		a->parts[0] = shared->workers[0].stacks;
		shared->workers[0].stacks = (struct stacks){0};
		return 0;
	}
	workers_run(nr, merge_part, shared);
	for (unsigned int i = 0; i < nr; i++)
		rc = rc ? rc : shared->workers[i].rc;
	return rc;
}

static void release_workers(struct shared *shared)
{
	for (unsigned int i = 0; i < shared->plan->nr_workers; i++) {
		struct worker *w = &shared->workers[i];

		stacks_release(&w->stacks);
		names_release(&w->comms);
		tags_release(&w->tags);
		resolver_release(&w->resolver);
		free(w->rest);
		spill_free(w->frame_numbers);
		spill_free(w->comm_numbers);
		spill_free(w->tag_numbers);
	}
	free(shared->workers);
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

int aggregate_run(struct aggregate *a, const struct aggregate_plan *plan,
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
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.result = a,
	};
	int rc;

	*a = (struct aggregate){.spill = table->capture->spill,
				.frames.spill = table->capture->spill,
				.comms.spill = table->capture->spill};
	*err = (struct ts_error){0};
	if (plan->tags)
		tags_init(&a->tags, plan->tags, NULL, NULL, err); /* shared ones: cannot fail */
	a->tags.texts.spill = a->spill;
	shared.workers = aligned_alloc(TS_CACHE_LINE, plan->nr_workers * sizeof(*shared.workers));
	if (!shared.workers || ts_brief_init(&shared.brief, shared.events)) {
		free(shared.workers);
		return ts_error_sys(err, ENOMEM, "cannot aggregate samples");
	}
	memset(shared.workers, 0, plan->nr_workers * sizeof(*shared.workers));
	progress_begin(table->capture->progress, "Counting samples", bytes_to_read(table));
	workers_run(plan->nr_workers, run_worker, &shared);
	rc = share_all_numbers(&shared, err);
	if (!rc)
		rc = merge_stacks(&shared);
	release_workers(&shared);
	ts_brief_release(&shared.brief);
	damage_sort(&a->damage);
	if (!rc)
		return 0;
	aggregate_release(a);
	return err->code ? rc : ts_error_sys(err, -rc, "cannot aggregate samples");
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
