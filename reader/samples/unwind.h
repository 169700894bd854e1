/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding of dumped stacks: from the registers and the piece of stack in a sample to the addresses
 * of its callers, and to a callchain like those that the kernel samples.
 *
 *	sample: registers, stack dump
 *	  pc -> place in a module -> rule (remembered; else the module's unwind table)
 *	  rule + registers + dump -> registers of the caller -> its pc -> ...
 *
 * Where a module tells nothing of an address the frame pointer is tried; where the table cannot
 * express a rule, libdw unwinds the whole sample (unwind_elf.h).
 *
 * Memory: half a MiB a thread, nothing by frame or by sample.
 *
 * Threads: a struct unwinder belongs to one thread; symbols and tasks are shared.
 */
#ifndef TS_READER_SAMPLES_UNWIND_H
#define TS_READER_SAMPLES_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/header.h"
#include "common/perf/record.h"
#include "reader/cfi/unwind_table.h"
#include "reader/samples/thread_moments.h"
#include "reader/symbols/code_spans.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/tasks.h"

#define UNWIND_SLOTS	 (1u << 14) /* addresses whose rule is remembered; power of two */
#define UNWIND_WORDS_MAX 16384	    /* of a callchain: more than two records hold */

struct unwind_counts {
	uint64_t nr_samples; /* with registers and a dump */
	uint64_t nr_frames;  /* found in all of them */
	uint64_t nr_asked;   /* samples that libdw unwound */
	uint64_t nr_guessed; /* frames found by frame pointer alone */
	uint64_t nr_cut;     /* samples whose dump ended before the stack did */
	uint64_t nr_foreign; /* samples with registers of 32 bits, which are not unwound */
	/* where both are asked: samples that libdw could be asked for, and that it unwinds otherwise */
	uint64_t nr_compared, nr_differ;
};

enum unwind_way {
	UNWIND_BY_TABLE, /* and libdw for what it cannot express */
	UNWIND_BY_ELF,	 /* libdw alone */
	UNWIND_BY_BOTH,	 /* each sample both ways, to compare; the table's is taken */
	UNWIND_NOT,
};

struct unwind_slot { /* private */
	uint64_t addr;
	const struct module *module;
	const struct unwind_rule *rule; /* NULL: free */
};

struct unwind_elf;

struct unwinder {
	/* constant after unwinder_init() */
	const struct ts_events *events;
	struct symbols *symbols;
	enum unwind_way way;
	uint32_t max_frames;
	/* the thread's */
	struct thread_moments moments;
	struct code_span_runs runs;
	struct unwind_elf *elf; /* made when first needed */
	struct unwind_slot *slots;
	uint64_t *words, *others;
	struct unwind_counts counts;
};

/*
 * How a capture's stacks are unwound where `wanted` is wanted: UNWIND_NOT where none were dumped, or on
 * a machine whose registers are not known here.
 */
enum unwind_way unwind_way_of(const struct ts_header *header, enum unwind_way wanted);
/* What it is given outlives it. At most max_frames of user space are found. 0 or -ENOMEM. */
int unwinder_init(struct unwinder *u, const struct ts_events *events, const struct ts_tasks *tasks,
		  struct symbols *symbols, enum unwind_way way, uint32_t max_frames);
void unwinder_release(struct unwinder *u); /* accepts a zeroed one; idempotent */

/*
 * Gives a sample with a dump a callchain whose user part is unwound; it lies in *u until the next
 * call. Others stay as they are.
 */
void unwind_join(struct unwinder *u, struct ts_sample *sample);

void unwind_counts_add(struct unwind_counts *to, const struct unwind_counts *more);

#endif
