/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log of single samples, for what needs their times: 32 bytes each, in the order in which they were
 * counted. It names stacks by number, so it is written beside them and moved with them.
 *
 *	a worker adds samples:	stack n of its own
 *	tallies_add(), aggregate_join():	sample_log_move(): stack n of a part of the aggregate
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
#include "reader/stacks/stack.h"

#define SAMPLE_LOG_FIRST  1024u	      /* samples in the first block */
#define SAMPLE_LOG_NO_CPU UINT16_MAX  /* unknown, or a number beyond this */
#define SAMPLE_LOG_BYTES  (16u << 20) /* of all logs of a command, in memory */

struct logged_sample {
	uint64_t time_ns; /* of the clock of the capture */
	uint64_t period;
	uint32_t pid, tid;
	uint32_t stack; /* of the part */
	uint16_t part, cpu;
};

struct sample_log_block {
	struct logged_sample *items; /* owned */
	size_t nr, cap;
};

struct sample_log {
	struct memory *memory;		 /* outlives it; NULL: no limit */
	size_t most_private;		 /* samples in memory */
	struct sample_log_block *blocks; /* owned */
	size_t nr_blocks, cap_blocks;
	uint64_t nr;	  /* samples */
	uint32_t capture; /* 0: the first, 1: the first that was joined to it ... */
};

/* Makes an empty log that takes at most so many bytes of memory, but at least a block. */
void sample_log_init(struct sample_log *l, struct memory *memory, size_t most_bytes);
/* Adds a sample of this stack of part 0. Returns 0 or -ENOMEM. */
int sample_log_add(struct sample_log *l, const struct ts_sample *sample, uint32_t stack);
/* Stack n of part p becomes places[first[p] + n]; places[] has all stacks of all parts. */
void sample_log_move(struct sample_log *l, const struct stack_place *places, const uint64_t *first);
void sample_log_release(struct sample_log *l); /* accepts a zeroed one; idempotent */

#endif
