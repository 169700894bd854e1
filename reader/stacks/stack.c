// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/stack.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/keyed_hash.h"
#include "common/base/sum.h"
#include "reader/runtime/memory_limit.h"

#define SLOTS_FIRST 1024
/* The first level is emptied beyond this many hashes (24 bytes each). */
#define MEMORY_MAX  (1u << 20)
#define TRIM_STACKS 4096 /* a walk over stacks trims its window of mapped files this often */

static void make_key(struct stacks *s)
{
	if (!s->key)
		s->key = ts_keyed_hash_key();
}

/* --- the first level --- */

static struct stack_recalled *memory_slot(const struct stacks *s, uint64_t low, uint64_t high)
{
	size_t at = ts_keyed_hash(s->key, low) & (s->nr_memory - 1);

	while (s->recalled[at].stack &&
	       (s->recalled[at].low != low || s->recalled[at].high != high))
		at = (at + 1) & (s->nr_memory - 1);
	return &s->recalled[at];
}

uint32_t stacks_recall(const struct stacks *s, uint64_t low, uint64_t high)
{
	if (!s->nr_memory)
		return STACK_NONE;
	return memory_slot(s, low, high)->stack - 1;
}

static bool make_memory(struct stacks *s)
{
	struct stack_recalled *old = s->recalled, *recalled = NULL;
	size_t nr_old = s->nr_memory, nr = nr_old ? 2 * nr_old : SLOTS_FIRST;

	if (s->nr_remembered < nr_old / 2)
		return true;
	if (s->nr_remembered < MEMORY_MAX)
		recalled = memory_new_cache(s->memory, nr, sizeof(*recalled));
	if (!recalled) {
		if (old)
			memset(old, 0, nr_old * sizeof(*old));
		s->nr_remembered = 0;
		return old;
	}
	make_key(s);
	s->recalled = recalled;
	s->nr_memory = nr;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].stack)
			*memory_slot(s, old[i].low, old[i].high) = old[i];
	memory_free(old);
	return true;
}

void stacks_remember(struct stacks *s, uint64_t low, uint64_t high, uint32_t stack)
{
	if (!make_memory(s))
		return;
	*memory_slot(s, low, high) = (struct stack_recalled){low, high, stack + 1};
	s->nr_remembered++;
}

/* --- the second level --- */

static uint64_t hash_stack(const struct stack_key *key, const uint32_t *frames, uint32_t nr_frames)
{
	return XXH3_64bits_withSeed(frames, nr_frames * sizeof(*frames),
				    XXH3_64bits(key, sizeof(*key)));
}

static int grow_items(struct stacks *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : SLOTS_FIRST / 2;
	struct stack *items;

	if (s->nr < s->cap)
		return 0;
	items = cap > s->cap ? memory_resize(s->memory, s->items, cap, sizeof(*items)) : NULL;
	if (!items)
		return -ENOMEM;
	s->items = items;
	s->cap = cap;
	return 0;
}

static int grow_frames(struct stacks *s, uint32_t more)
{
	uint64_t cap = s->cap_frames ? s->cap_frames : 16 * SLOTS_FIRST;
	uint32_t *frames;

	if (s->nr_frames + more <= s->cap_frames)
		return 0;
	while (cap < s->nr_frames + more)
		cap *= 2;
	frames = memory_resize(s->memory, s->frames, cap, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	s->frames = frames;
	s->cap_frames = cap;
	return 0;
}

static int grow_slots(struct stacks *s)
{
	size_t nr = s->nr_slots ? 2 * s->nr_slots : SLOTS_FIRST;
	uint32_t *slots;

	if (s->nr_slots > 2 * (size_t)s->nr)
		return 0;
	while (nr <= 2 * (size_t)s->nr) /* stacks_renumber() has freed the slots */
		nr *= 2;
	slots = memory_new(s->memory, nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	make_key(s);
	for (uint32_t i = 0; i < s->nr; i++) {
		size_t at = ts_keyed_hash(s->key, s->items[i].hash) & (nr - 1);

		while (slots[at])
			at = (at + 1) & (nr - 1);
		slots[at] = i + 1;
	}
	memory_free(s->slots);
	s->slots = slots;
	s->nr_slots = nr;
	return 0;
}

static bool is_same(const struct stacks *s, const struct stack *stack, const struct stack_key *key,
		    const uint32_t *frames, uint32_t nr_frames)
{
	return stack->nr_frames == nr_frames && !memcmp(&stack->key, key, sizeof(*key)) &&
	       (!nr_frames || !memcmp(stack_frames(s, stack), frames, nr_frames * sizeof(*frames)));
}

static uint32_t intern_stack(struct stacks *s, const struct stack_key *key, const uint32_t *frames,
			     uint32_t nr_frames, uint64_t hash)
{
	size_t at;

	if (grow_items(s) || grow_frames(s, nr_frames) || grow_slots(s))
		return STACK_NONE;
	for (at = ts_keyed_hash(s->key, hash) & (s->nr_slots - 1); s->slots[at];
	     at = (at + 1) & (s->nr_slots - 1)) {
		const struct stack *stack = &s->items[s->slots[at] - 1];

		if (stack->hash == hash && is_same(s, stack, key, frames, nr_frames))
			return s->slots[at] - 1;
	}
	s->items[s->nr] = (struct stack){
		.key = *key,
		.nr_frames = nr_frames,
		.first_frame = s->nr_frames,
		.first_ns = UINT64_MAX,
		.hash = hash,
	};
	if (nr_frames)
		memcpy(s->frames + s->nr_frames, frames, nr_frames * sizeof(*frames));
	s->nr_frames += nr_frames;
	s->slots[at] = ++s->nr;
	return s->nr - 1;
}

uint32_t stacks_intern(struct stacks *s, const struct stack_key *key, const uint32_t *frames,
		       uint32_t nr_frames)
{
	return intern_stack(s, key, frames, nr_frames, hash_stack(key, frames, nr_frames));
}

/*
 * Of two first samples at the same time the lower thread counts, because then the result does not
 * depend on the order.
 */
static bool is_earlier(const struct stack_hits *hits, const struct stack *stack)
{
	if (hits->first_ns != stack->first_ns)
		return hits->first_ns < stack->first_ns;
	return stack->nr_samples == 0 || hits->first_tid < stack->first_tid;
}

void stacks_add(struct stacks *s, uint32_t index, const struct stack_hits *hits)
{
	struct stack *stack = &s->items[index];

	if (is_earlier(hits, stack)) {
		stack->first_ns = hits->first_ns;
		stack->first_pid = hits->first_pid;
		stack->first_tid = hits->first_tid;
	}
	stack->period = ts_sum(stack->period, hits->period);
	stack->nr_samples += hits->nr_samples;
}

void stacks_renumber(struct stacks *s, const uint32_t *frames, const uint32_t *comms,
		     const uint32_t *tags)
{
	for (uint64_t i = 0; i < s->nr_frames; i++)
		s->frames[i] = frames[s->frames[i]];
	for (uint32_t i = 0; i < s->nr; i++) {
		struct stack *stack = &s->items[i];

		stack->key.leaf = frames[stack->key.leaf];
		stack->key.comm = comms[stack->key.comm];
		if (tags)
			stack->key.tag = tags[stack->key.tag];
		stack->hash = hash_stack(&stack->key, stack_frames(s, stack), stack->nr_frames);
	}
	memory_free(s->slots);
	s->slots = NULL;
	s->nr_slots = 0;
}

int stacks_merge(struct stacks *to, const struct stacks *from, unsigned int part,
		 unsigned int nr_parts, struct stack_place *places)
{
	for (uint32_t i = 0; i < from->nr; i++) {
		const struct stack *s = &from->items[i];
		uint32_t at;

		if (i % TRIM_STACKS == 0)
			memory_keep_narrow(to->memory);
		/* The lower bits of the hash choose the slot, so higher bits choose the part. */
		if ((s->hash >> 40) % nr_parts != part)
			continue;
		at = intern_stack(to, &s->key, stack_frames(from, s), s->nr_frames, s->hash);
		if (at == STACK_NONE)
			return -ENOMEM;
		if (places)
			places[i] = (struct stack_place){at, (uint16_t)part};
		stacks_add(to, at,
			   &(struct stack_hits){s->period, s->nr_samples, s->first_ns, s->first_pid,
						s->first_tid});
	}
	return 0;
}

void stacks_forget(struct stacks *s)
{
	memory_free(s->recalled);
	s->recalled = NULL;
	s->nr_memory = s->nr_remembered = 0;
}

void stacks_release(struct stacks *s)
{
	stacks_forget(s);
	memory_free(s->items);
	memory_free(s->slots);
	memory_free(s->frames);
	*s = (struct stacks){0};
}
