/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks: samples are aggregated by stack, each distinct stack once.
 *
 * A stack is a list of frames, leaf first, and the other values that a report may sort by: event,
 * command, thread, tag (sample_tag.h). Two levels keep the loop over samples short:
 *
 *	sample -> hash of its raw bytes -> seen before: add to its stack
 *	                                -> new: resolve the frames, find or add the stack
 *
 * The first level remembers 128-bit hashes of addresses and is dropped when it grows too large. The
 * second level holds functions, so its size depends on the program, not on the number of samples.
 *
 * Threads: a table belongs to one thread. Tables are merged when their threads have ended.
 */
#ifndef TS_READER_STACKS_STACK_H
#define TS_READER_STACKS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/memory.h"

#define STACK_NONE UINT32_MAX

/* The key of a stack, besides its frames. Fields that the report does not sort by are 0. */
struct stack_key {
	uint32_t event;
	uint32_t comm; /* number of the command name */
	uint32_t tid;
	uint32_t tag;  /* number of the tag */
	uint32_t leaf; /* frame of the sample's own address */
};

struct stack {
	struct stack_key key;
	uint32_t nr_frames;   /* of the callchain; 0: none */
	uint64_t first_frame; /* index into stacks.frames */
	uint64_t period;      /* sum */
	uint64_t nr_samples;
	uint64_t first_ns;	       /* time of the earliest sample */
	uint32_t first_pid, first_tid; /* its thread */
	uint64_t hash;
};

struct stack_recalled { /* private: a first-level slot */
	uint64_t low, high;
	uint32_t stack; /* + 1; 0: free */
};

struct stacks {
	struct memory *memory; /* its blocks hold the stacks; NULL: no limit */
	struct stack *items;
	uint32_t nr, cap;
	uint32_t *slots; /* index + 1, 0 free; power of two */
	size_t nr_slots;
	uint32_t *frames; /* of all stacks, one after the other */
	uint64_t nr_frames, cap_frames;
	struct stack_recalled *recalled;
	size_t nr_memory, nr_remembered;
	uint64_t key; /* of the slots; see common/base/keyed_hash.h */
};

/* A stack among the parts of an aggregate. */
struct stack_place {
	uint32_t stack; /* number in the part */
	uint16_t part;
};

/* One sample, or several equal ones, to be added to a stack. */
struct stack_hits {
	uint64_t period, nr_samples, first_ns;
	uint32_t first_pid, first_tid;
};

/* The stack that is remembered for the hash of a raw sample; STACK_NONE: none. */
uint32_t stacks_recall(const struct stacks *s, uint64_t low, uint64_t high);
/* Remembers the stack of a hash. Without memory it is not remembered, which only costs time. */
void stacks_remember(struct stacks *s, uint64_t low, uint64_t high, uint32_t stack);
/*
 * The number of the stack with this key and these frames, added if new; STACK_NONE: out of memory.
 */
uint32_t stacks_intern(struct stacks *s, const struct stack_key *key, const uint32_t *frames,
		       uint32_t nr_frames);
void stacks_add(struct stacks *s, uint32_t stack, const struct stack_hits *hits);

/*
 * Replaces the numbers of frames, commands and (unless NULL) tags: new = table[old]. Afterwards *s
 * can only be merged into another table.
 */
void stacks_renumber(struct stacks *s, const uint32_t *frames, const uint32_t *comms,
		     const uint32_t *tags);
/*
 * Adds the stacks of `from` whose hash selects this part of nr_parts. Their places in *to go into
 * places[], by their number in *from; NULL: nobody asks. Returns 0 or -ENOMEM.
 */
int stacks_merge(struct stacks *to, const struct stacks *from, unsigned int part,
		 unsigned int nr_parts, struct stack_place *places);

static inline const uint32_t *stack_frames(const struct stacks *s, const struct stack *stack)
{
	return s->frames + stack->first_frame;
}

void stacks_forget(struct stacks *s);  /* frees the first level */
void stacks_release(struct stacks *s); /* accepts a zeroed one; idempotent */

#endif
