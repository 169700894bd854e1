/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding of dumped stacks: registers and the dumped piece of stack become the addresses of the
 * callers, as a callchain like those that the kernel samples.
 *
 *	sample: registers, stack dump
 *	  pc -> place in a module -> rule (remembered; else the module's unwind table)
 *	  rule + registers + dump -> registers of the caller -> its pc -> ...
 *
 * If a module has no rule for an address, the frame pointer is tried. If the table cannot express a
 * rule, libdw unwinds the whole sample (unwind_elf.h).
 *
 * Memory: half a MiB per thread, nothing per frame or per sample.
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
#define UNWIND_WORDS_MAX 16384	    /* words of a callchain: more than two records hold */

struct unwind_counts {
	uint64_t nr_samples; /* with registers and a dump */
	uint64_t nr_frames;  /* found in all of them */
	uint64_t nr_asked;   /* samples that libdw unwound */
	uint64_t nr_guessed; /* frames found by frame pointer alone */
	uint64_t nr_cut;     /* samples whose dump ended before the stack */
	uint64_t nr_foreign; /* samples with registers of 32 bits, which are not unwound */
	/*
	 * UNWIND_BY_BOTH: samples that libdw could unwind, and samples for which it found other
	 * frames
	 */
	uint64_t nr_compared, nr_differ;
};

enum unwind_way {
	UNWIND_BY_TABLE, /* libdw for rules that the table cannot express */
	UNWIND_BY_ELF,	 /* libdw alone */
	UNWIND_BY_BOTH,	 /* both, to compare; the result of the table is used */
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
 * How to unwind the stacks of a capture if the user wants `wanted`: UNWIND_NOT if no stacks were
 * dumped, or if the capture comes from an architecture whose registers are unknown here.
 */
enum unwind_way unwind_way_of(const struct ts_header *header, enum unwind_way wanted);
/*
 * All arguments must outlive *u. At most max_frames frames of user space are found. Returns 0 or
 * -ENOMEM.
 */
int unwinder_init(struct unwinder *u, const struct ts_events *events, const struct tasks *tasks,
		  struct symbols *symbols, enum unwind_way way, uint32_t max_frames);
void unwinder_release(struct unwinder *u); /* accepts a zeroed one; idempotent */

/*
 * Gives a sample with a dump a callchain whose user part is unwound. The callchain lies in *u until
 * the next call. Samples without a dump are unchanged.
 */
void unwind_join(struct unwinder *u, struct ts_sample *sample);

void unwind_counts_add(struct unwind_counts *to, const struct unwind_counts *more);

#endif
