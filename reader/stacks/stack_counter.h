/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker of pass B adds each sample to its stack.
 *
 *	sample -> thread at its time -> hash of raw values -> stack of that hash, + its period
 *	                                    '-- a new one: addresses -> frames -> stack
 *
 * A tally (tally.h) holds the stacks and the meanings of their numbers. Samples that the selection
 * does not show are only summed there.
 *
 * Threads: each thread has its own counter; the source is constant.
 */
#ifndef TS_READER_STACKS_STACK_COUNTER_H
#define TS_READER_STACKS_STACK_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"
#include "reader/chunks/selection.h"
#include "reader/samples/thread_moments.h"
#include "reader/stacks/aggregate.h"
#include "reader/stacks/tally.h"
#include "reader/stacks/waiting_samples.h"
#include "reader/tasks/tasks.h"

#define STACK_COUNTER_COMMS	256  /* command names whose number is remembered; power of two */
#define STACK_COUNTER_CHAIN_MAX 8192 /* more entries than fit in a record */

struct stack_counter_source { /* shared by all counters; must outlive them */
	const struct aggregate_plan *plan;
	const struct selection *selection; /* NULL: everything */
	const struct tasks *tasks;
	struct symbols *symbols;
	struct memory *memory;
	size_t nr_events; /* of the capture */
	bool mix_pid; /* equal maps of two processes may have different symbols: generated code */
};

struct stack_counter_comm {
	const char *text;
	uint32_t number;
};

struct stack_counter { /* zero-initialised */
	const struct stack_counter_source *source;
	struct tally tally; /* rc: why adding failed */
	struct thread_moments moments;
	struct stack_counter_comm comms[STACK_COUNTER_COMMS];
	uint32_t chain[STACK_COUNTER_CHAIN_MAX];
	struct waiting_samples late; /* samples that wait for symbols */
};

/* Returns 0, -ENOMEM, or the result of tags_init(), whose error is in the tally. */
int stack_counter_init(struct stack_counter *s, const struct stack_counter_source *source);
/*
 * Counts a sample, or keeps it for stack_counter_catch_up(). cpumode is from the misc of its
 * record. On failure this and the following functions set tally.rc.
 */
void stack_counter_add(struct stack_counter *s, const struct ts_sample *sample, uint32_t cpumode);
/*
 * Counts the samples that were kept, if the symbols that the last of them needed have been read.
 * Call it after each chunk.
 */
void stack_counter_catch_up(struct stack_counter *s);
/*
 * Call it after the last sample. Counts the samples that were kept; waits for symbols, unless
 * reading was stopped.
 */
void stack_counter_finish(struct stack_counter *s, bool is_stopped);

#endif
