/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass B: workers on all cores turn the samples of all chunks, in any order, into a table of
 * distinct stacks.
 *
 * Each worker takes the next chunk and decodes its samples. It looks up the names and maps that
 * were valid at the time of each sample, and adds the sample to its own tables. When all chunks are
 * done, the tables become one (tally.h). The sums do not depend on the number of workers; only
 * numbers and order do.
 *
 * If the capture grows, aggregate_add() adds the new samples to the stacks that were counted
 * before.
 *
 * If the table has a selection, the result has only the stacks that it shows; the other samples are
 * only summed.
 *
 * Threads: aggregate_run() and aggregate_add() use several themselves; between these calls the
 * result is immutable.
 */
#ifndef TS_READER_STACKS_AGGREGATE_H
#define TS_READER_STACKS_AGGREGATE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/chunks/chunk_table.h"
#include "reader/runtime/name_table.h"
#include "reader/samples/unwind.h"
#include "reader/stacks/frame.h"
#include "reader/stacks/sample_log.h"
#include "reader/stacks/sample_tag.h"
#include "reader/stacks/stack.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/tasks.h"

struct aggregate_plan {
	bool by_comm, by_tid;	      /* tell samples apart by these, besides frames */
	bool is_one_event;	      /* all samples count as event 0 */
	const struct tags_plan *tags; /* tell samples apart by these, too; NULL: no tags */
	const struct capture_facts *capture_facts;
	bool with_chains;	/* tell samples apart by callchain, too */
	bool by_address;	/* frames are addresses, not functions */
	enum line_kind lines;	/* lines that tell frames apart */
	bool with_inlined;	/* inlined functions are frames of callchains */
	bool keep_roots;	/* callchains beyond max_frames keep their root, not their leaf */
	const regex_t *ignored; /* the callees of these functions are left out; NULL: none */
	size_t log_bytes;	/* single samples are kept, too, so many bytes in memory; 0: not */
	uint32_t max_frames;
	enum unwind_way unwind;	 /* the wanted way for dumped stacks; only with chains */
	uint32_t max_unwound;	 /* most frames of user space that unwinding finds */
	unsigned int nr_workers; /* at least 1 */
};

/* Samples of an event that the selection does not show, but that percentages count. */
struct aggregate_rest {
	uint64_t period, nr_samples;
};

struct aggregate {
	struct stacks *parts; /* disjoint: the hash of a stack selects its part */
	unsigned int nr_parts;
	struct frames frames; /* the frames behind the numbers in stacks */
	struct name_table comms;
	struct tags tags;		 /* unused if the plan has none */
	struct sample_log *logs;	 /* owned; without log_bytes none */
	unsigned int nr_logs, nr_joined; /* nr_joined: captures that were joined to the first */
	struct aggregate_rest *rest;	 /* by event */
	uint64_t nr_unknown;		 /* samples whose id belongs to no event */
	uint64_t nr_bad;   /* samples, and records of types of one size, of another size */
	uint64_t nr_newer; /* records of types that are unknown here */
	uint64_t nr_cut;   /* samples whose deferred user callchain is missing */
	struct unwind_counts unwound;
	struct memory *memory; /* that of the capture */
	struct damage damage;  /* chunks that could not be loaded; by stream, then offset */
};

/*
 * tasks must be frozen; the plan of tags must outlive the result. Returns 0, -ENOMEM, or -EINVAL if
 * a sort key needs a tracepoint whose format is damaged. Other damage is in the result.
 */
int aggregate_run(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct tasks *tasks,
		  struct symbols *symbols, struct ts_error *err);
/*
 * Adds the samples of a table that has the newer part of the capture, except those up to given_ns
 * of their chunk. Plan, tasks and symbols are those that *a was made with; they may have grown.
 * Errors are those of aggregate_run(); on failure *a is released.
 */
int aggregate_add(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct tasks *tasks,
		  struct symbols *symbols, struct ts_error *err);
/* The number of samples in the stacks, without `rest`. */
uint64_t aggregate_nr_samples(const struct aggregate *a);
/*
 * The number of stacks in the parts before each part, for a number of each stack; *ret_nr: of all.
 * The caller frees it with memory_free(). NULL: out of memory.
 */
uint64_t *aggregate_first_stacks(const struct aggregate *a, uint64_t *ret_nr);
void aggregate_release(struct aggregate *a); /* accepts a zeroed one; idempotent */

#endif
