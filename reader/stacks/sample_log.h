/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log of single samples, for what needs their times: 32 bytes each. Samples are sorted in batches, so the log is a list
 * of runs, each of one thread and one event, in the order of time.
 *
 *	a worker adds samples --> sample_batch.c --> run | run | run ...
 *
 * It names stacks by number: those of its worker. sample_log_place() tells the stack of the aggregate, so the samples
 * stay as they are when stacks are merged or joined.
 *
 * The first samples lie in memory; the others in files, so that a log needs no more memory for more
 * samples. Each block is twice as large as the one before, up to a bound.
 *
 * Threads: a log belongs to one thread, then it is immutable.
 */
#ifndef TS_READER_STACKS_SAMPLE_LOG_H
#define TS_READER_STACKS_SAMPLE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "reader/runtime/memory.h"
#include "reader/stacks/sample_batch.h"
#include "reader/stacks/stack.h"

#define SAMPLE_LOG_FIRST  1024u	      /* samples in the first batch */
#define SAMPLE_LOG_NO_CPU UINT16_MAX  /* unknown, or a number beyond this */
#define SAMPLE_LOG_BYTES  (16u << 20) /* of all logs of a command, in memory */

struct sample_log_block {
	struct logged_sample *items; /* owned */
	size_t nr, cap;
};

struct sample_log_run { /* of one thread and one event, in the order of time; at least one sample */
	const struct logged_sample *items;
	uint32_t nr;
};

struct sample_log {
	struct memory *memory;		 /* outlives it; NULL: no limit */
	size_t most_private;		 /* samples in memory */
	uint32_t most_batch;		 /* samples in a batch */
	struct sample_batch batch;	 /* zeroed: no sample has come */
	struct sample_log_block *blocks; /* owned */
	size_t nr_blocks, cap_blocks;
	struct sample_log_run *runs; /* owned; complete after sample_log_finish() */
	size_t nr_runs, cap_runs;
	uint64_t nr;		    /* samples */
	uint32_t capture;	    /* 0: the first, 1: the first that was joined to it ... */
	struct stack_place *places; /* owned; of its stacks; NULL: the same number in part 0 */
	size_t nr_places;
};

/* Makes an empty log that takes at most so many bytes of memory, but at least a batch. */
void sample_log_init(struct sample_log *l, struct memory *memory, size_t most_bytes);
/* Adds a sample of this stack. Returns 0 or -ENOMEM. */
int sample_log_add(struct sample_log *l, const struct ts_sample *sample, uint32_t stack);
/* Sorts what is left. Returns 0 or -ENOMEM. */
int sample_log_finish(struct sample_log *l);
/* From now on stack n of the log has the place places[n]. Takes these places of nr stacks, which lie in a block. */
void sample_log_take_places(struct sample_log *l, struct stack_place *places, size_t nr);
/*
 * Stacks move: number n of part p becomes places[first[p] + n]. first[] goes on behind the last part, to the number of
 * all stacks. Returns 0 or -ENOMEM.
 */
int sample_log_move(struct sample_log *l, const struct stack_place *places, const uint64_t *first);
void sample_log_release(struct sample_log *l); /* accepts a zeroed one; idempotent */

/* The stack of a sample in the aggregate. */
static inline struct stack_place sample_log_place(const struct sample_log *l,
						  const struct logged_sample *s)
{
	return l->places ? l->places[s->stack] : (struct stack_place){.stack = s->stack};
}

#endif
