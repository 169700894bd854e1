/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From samples to stacks: what a worker of pass B does with each sample.
 *
 *	sample -> thread at its time -> hash of what is raw -> stack of that hash, + its period
 *	                                     '-- a new one: addresses -> frames -> stack
 *
 * The stacks, and what their numbers mean, are those of a tally (tally.h). Samples that the
 * selection does not show become a sum there.
 *
 * Threads: each has its own; the source is constant.
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

struct stack_counter_source { /* what stackers share; all of it outlives them */
	const struct aggregate_plan *plan;
	const struct selection *selection; /* NULL: everything */
	const struct ts_tasks *tasks;
	struct symbols *symbols;
	struct spill *spill;
	size_t nr_events; /* of the capture */
	bool mix_pid; /* equal maps of two processes may mean different symbols: generated code */
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
	struct waiting_samples late; /* waits for symbols */
};

/* 0, -ENOMEM, or what tags_init() returned, with its error in the tally. */
int stack_counter_init(struct stack_counter *s, const struct stack_counter_source *source);
/*
 * Counts a sample, or keeps it for stack_counter_catch_up(); cpumode is of its record's misc. Where it fails
 * tally.rc is set, here and below.
 */
void stack_counter_add(struct stack_counter *s, const struct ts_sample *sample, uint32_t cpumode);
/*
 * Counts what was kept, once the symbols are there that the last of it waited for. To be called after each
 * chunk.
 */
void stack_counter_catch_up(struct stack_counter *s);
/* No more samples: counts what was kept, waiting for symbols unless reading was stopped. */
void stack_counter_finish(struct stack_counter *s, bool is_stopped);

#endif
