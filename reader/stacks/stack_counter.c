// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/stack_counter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sum.h"
#include "reader/stacks/raw_key.h"
#include "reader/symbols/module.h"

/*
 * Remembered instead of a stack: the selection does not show these samples, or does not count them.
 */
#define STACK_REST   (STACK_NONE - 1)
#define STACK_ABSENT (STACK_NONE - 2)
/* Another thread is reading the symbols of the sample. */
#define STACK_LATE (STACK_NONE - 3)
/* Flag beside the mode of an address: the selection does not show the thread. */
#define MODE_OF_REST (1u << 31)

static uint32_t unnamed_comm(struct stack_counter *s, uint32_t tid)
{
	char buf[UNNAMED_MAX];

	return name_table_intern(&s->tally.comms, name_table_unnamed(tid, buf));
}

static uint32_t find_comm(struct stack_counter *s, const struct raw_key *raw, uint32_t tid)
{
	const char *comm = (const char *)(uintptr_t)raw->comm;
	struct stack_counter_comm *slot;

	if (!s->source->plan->by_comm)
		return 0;
	if (!comm)
		return unnamed_comm(s, tid);
	slot = &s->comms[((uintptr_t)comm >> 4) & (STACK_COUNTER_COMMS - 1)];
	if (slot->text != comm) {
		slot->text = comm;
		slot->number = name_table_intern(&s->tally.comms, comm);
	}
	return slot->number;
}

/* --- call chains --- */

/* The mode that a context marker switches to; 0: the marker is unknown. */
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

/* Keeps at most max_frames frames of a chain; returns their number. */
static uint32_t cut_chain(struct stack_counter *s, uint32_t nr)
{
	uint32_t max = s->source->plan->max_frames;

	if (nr <= max)
		return nr;
	if (s->source->plan->keep_roots)
		memmove(s->chain, s->chain + (nr - max), max * sizeof(*s->chain));
	return max;
}

/* The frame that has the symbol, even if `frame` is an inlined function. */
static const struct frame *outermost(const struct stack_counter *s, uint32_t frame)
{
	const struct frames *frames = &s->tally.resolver.frames;

	return &frames->items[frames_outermost(frames, frame)];
}

/* Are the callees of this function left out? */
static bool is_ignored(const struct stack_counter *s, uint32_t frame)
{
	const regex_t *ignored = s->source->plan->ignored;
	const struct symbol *symbol;

	if (!ignored)
		return false;
	symbol = outermost(s, frame)->symbol;
	return symbol && !regexec(ignored, symbol->name, 0, NULL, 0);
}

/* Are only functions with a symbol wanted? */
static bool wants_known(const struct stack_counter *s)
{
	return s->source->selection && s->source->selection->text.is_known;
}

static bool is_unwanted(const struct stack_counter *s, uint32_t frame)
{
	return wants_known(s) && !outermost(s, frame)->symbol;
}

static uint32_t find_caller(struct stack_counter *s, const struct frame_place *place, uint32_t mode,
			    uint64_t ip)
{
	return s->source->plan->with_inlined
		       ? resolver_find_inlined(&s->tally.resolver, place, mode, ip)
		       : resolver_find(&s->tally.resolver, place, mode, ip);
}

/*
 * Adds, behind each of the nr innermost functions in s->chain, all functions into which it was
 * inlined. Returns the new number of frames.
 */
static uint32_t unfold_frames(struct stack_counter *s, uint32_t nr)
{
	const struct frames *frames = &s->tally.resolver.frames;
	uint32_t from = STACK_COUNTER_CHAIN_MAX - nr, to = 0;

	memmove(s->chain + from, s->chain, nr * sizeof(*s->chain));
	for (; from < STACK_COUNTER_CHAIN_MAX; from++) {
		uint32_t frame = s->chain[from];

		for (; to < from && frames->items[frame].around;
		     frame = frames->items[frame].around - 1)
			s->chain[to++] = frame;
		s->chain[to++] = frame;
	}
	return to;
}

/*
 * Resolves a callchain into s->chain, leaf first; returns its length. If callees are ignored, *leaf
 * becomes their caller. If an address cannot be resolved, *leaf becomes FRAME_NONE; if it cannot be
 * resolved now, FRAME_LATE.
 */
static uint32_t resolve_chain(struct stack_counter *s, const struct ts_words *chain,
			      const struct frame_place *place, uint32_t *leaf)
{
	uint32_t mode = PERF_RECORD_MISC_USER, nr = 0;

	for (uint64_t i = 0; i < chain->nr && nr < STACK_COUNTER_CHAIN_MAX; i++) {
		uint64_t ip = ts_word(chain, i);
		uint32_t frame;

		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			mode = context_mode(ip);
			if (!mode)
				return 0;
			continue;
		}
		frame = find_caller(s, place, mode, ip);
		if (frame == FRAME_NONE || frame == FRAME_LATE) {
			*leaf = frame;
			return 0;
		}
		if (is_unwanted(s, frame))
			continue;
		if (is_ignored(s, frame)) {
			*leaf = frames_outermost(&s->tally.resolver.frames, frame);
			nr = 0;
		}
		s->chain[nr++] = frame;
	}
	nr = cut_chain(s, nr);
	return s->source->plan->with_inlined ? unfold_frames(s, nr) : nr;
}

/* --- one sample --- */

static void add_rest(struct stack_counter *s, const struct ts_sample *sample)
{
	s->tally.rest[sample->sid.event].period =
		ts_sum(s->tally.rest[sample->sid.event].period, sample->period);
	s->tally.rest[sample->sid.event].nr_samples++;
}

static bool is_place_of_rest(const struct stack_counter *s, uint32_t leaf)
{
	const struct selection *selection = s->source->selection;
	const struct frame *frame = &s->tally.resolver.frames.items[leaf];
	const struct module_name *module = frame->module;

	return selection && selection_has_places(selection) &&
	       !selection_takes_place(selection, module ? module->short_name : NULL,
				      module ? module->long_name : NULL,
				      frame->symbol ? frame->symbol->name : NULL);
}

/* `chain` NULL: without a callchain. STACK_NONE: out of memory. */
static uint32_t new_stack(struct stack_counter *s, const struct ts_sample *sample,
			  const struct raw_key *raw, const struct ts_words *chain)
{
	const struct aggregate_plan *plan = s->source->plan;
	struct frame_place place = {
		.pid = sample->sid.pid,
		.space = raw->space,
		.kernel_space = raw->kernel_space,
		.time_ns = sample->sid.time_ns,
	};
	struct stack_key key = {
		.event = plan->is_one_event ? 0 : (uint32_t)raw->event,
		.comm = find_comm(s, raw, sample->sid.tid),
		/*
		 * otherwise the tid is in the raw key only because it is the name of a thread
		 * without one
		 */
		.tid = plan->by_tid ? (uint32_t)raw->tid : 0,
		.tag = (uint32_t)raw->tag,
		.leaf = resolver_find(&s->tally.resolver, &place,
				      (uint32_t)raw->cpumode & ~MODE_OF_REST, sample->ip),
	};
	uint32_t nr = 0;

	if (key.leaf == FRAME_NONE || key.comm == NAME_TABLE_NONE)
		return STACK_NONE;
	if (key.leaf == FRAME_LATE)
		return STACK_LATE;
	if (is_unwanted(s, key.leaf))
		return STACK_ABSENT;
	if (raw->cpumode & MODE_OF_REST || is_place_of_rest(s, key.leaf))
		return STACK_REST;
	if (chain)
		nr = resolve_chain(s, chain, &place, &key.leaf);
	if (key.leaf == FRAME_NONE)
		return STACK_NONE;
	return key.leaf == FRAME_LATE ? STACK_LATE
				      : stacks_intern(&s->tally.stacks, &key, s->chain, nr);
}

static void put_off(struct stack_counter *s, const struct ts_sample *sample,
		    const struct raw_key *raw, const struct ts_words *chain);

/* Counts the sample in its stack: a known one, a new one, or later if symbols are missing. */
static void count_sample(struct stack_counter *s, const struct ts_sample *sample,
			 const struct raw_key *raw)
{
	const bool has_chain = s->source->plan->with_chains && sample->callchain.data;
	const struct ts_words *chain = has_chain ? &sample->callchain : NULL;
	const XXH128_hash_t hash = raw_key_hash(raw, chain);
	uint32_t stack = stacks_recall(&s->tally.stacks, hash.low64, hash.high64);

	if (stack == STACK_NONE) {
		stack = new_stack(s, sample, raw, chain);
		if (stack == STACK_LATE) {
			put_off(s, sample, raw, chain);
			return;
		}
		if (stack == STACK_NONE) {
			s->tally.rc = -ENOMEM;
			return;
		}
		stacks_remember(&s->tally.stacks, hash.low64, hash.high64, stack);
	}
	if (stack == STACK_REST)
		add_rest(s, sample);
	if (stack == STACK_REST || stack == STACK_ABSENT)
		return;
	stacks_add(&s->tally.stacks, stack,
		   &(struct stack_hits){sample->period, 1, sample->sid.time_ns, sample->sid.pid,
					sample->sid.tid});
	if (s->source->plan->log_bytes && sample_log_add(&s->tally.log, sample, stack))
		s->tally.rc = -ENOMEM;
}

/* Counts the kept samples whose symbols have been read, and keeps the others again. */
static void count_late(struct stack_counter *s)
{
	struct waiting_samples late = s->late;
	struct ts_sample sample;
	struct raw_key raw;
	size_t at = 0;

	waiting_samples_init(&s->late, s->source->memory, late.most_bytes);
	while (!s->tally.rc && waiting_samples_next(&late, &at, &raw, &sample))
		count_sample(s, &sample, &raw);
	waiting_samples_release(&late);
}

/*
 * Keeps a sample for later. If no room is left, waits for the symbols of all kept samples: without
 * haste no sample is late, so count_sample() does not call put_off() again.
 */
static void put_off(struct stack_counter *s, const struct ts_sample *sample,
		    const struct raw_key *raw, const struct ts_words *chain)
{
	if (waiting_samples_put(&s->late, raw, sample, chain))
		return;
	s->tally.resolver.is_hasty = false;
	count_late(s);
	count_sample(s, sample, raw);
	s->tally.resolver.is_hasty = true;
}

void stack_counter_catch_up(struct stack_counter *s)
{
	if (!waiting_samples_is_empty(&s->late) && !module_would_wait(s->tally.resolver.waited))
		count_late(s);
}

void stack_counter_finish(struct stack_counter *s, bool is_stopped)
{
	s->tally.resolver.is_hasty = is_stopped;
	count_late(s);
	waiting_samples_release(&s->late);
	if (sample_log_finish(&s->tally.log) && !s->tally.rc)
		s->tally.rc = -ENOMEM;
}

void stack_counter_add(struct stack_counter *s, const struct ts_sample *sample, uint32_t cpumode)
{
	const struct aggregate_plan *plan = s->source->plan;
	const struct moment_slot *slot = thread_moments_find(&s->moments, &sample->sid);
	const struct task_moment *moment = &slot->moment;
	struct raw_key raw = {
		.space = moment->space,
		.kernel_space = thread_moments_kernel_space(&s->moments, sample->sid.time_ns),
		.ip = sample->ip,
		.comm = plan->by_comm ? (uintptr_t)moment->comm : 0,
		.event = sample->sid.event,
		.tid = plan->by_tid || (plan->by_comm && !moment->comm) ? sample->sid.tid : 0,
		.cpumode = cpumode | (slot->is_rest ? MODE_OF_REST : 0),
	};

	if (slot->is_rest && !wants_known(s)) {
		add_rest(s, sample);
		return;
	}
	if (plan->tags)
		raw.tag = tags_number(&s->tally.tags, sample);
	if (raw.tag == SAMPLE_TAG_NONE) {
		s->tally.rc = -ENOMEM;
		return;
	}
	if (s->source->mix_pid)
		raw.space ^= (uint64_t)sample->sid.pid << 32;
	count_sample(s, sample, &raw);
}

int stack_counter_init(struct stack_counter *s, const struct stack_counter_source *source)
{
	const struct aggregate_plan *plan = source->plan;
	struct tally *t = &s->tally;
	int rc;

	s->source = source;
	s->moments.tasks = source->tasks;
	s->moments.selection = source->selection;
	rc = resolver_init(&t->resolver, source->symbols, plan->by_address, plan->lines,
			   source->memory);
	t->resolver.is_hasty = true;
	waiting_samples_init(&s->late, source->memory, WAITING_SAMPLES_BYTES / plan->nr_workers);
	t->stacks.memory = source->memory;
	t->comms.memory = source->memory;
	sample_log_init(&t->log, source->memory, plan->log_bytes / plan->nr_workers);
	if (!rc && plan->tags)
		rc = tags_init(&t->tags, plan->tags, plan->capture_facts, source->symbols, &t->err);
	t->tags.texts.memory = source->memory;
	if (rc || !source->selection)
		return rc;
	t->rest = calloc(source->nr_events + 1, sizeof(*t->rest));
	return t->rest ? 0 : -ENOMEM;
}
