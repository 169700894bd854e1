/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass B: the samples of all chunks, on all cores in any order, become a table of distinct stacks.
 *
 * Each worker takes the next chunk, decodes its samples, looks up what was valid at each sample's
 * time and adds it to tables of its own. When all chunks are done, these become one (tally.h). The
 * sums do not depend on the number of workers, only numbers and order do.
 *
 * Of a capture that grows the samples that have come can be added to what was counted before.
 *
 * Of a selection (that of the table) only the stacks that it shows are here; the others are a sum.
 *
 * Threads: aggregate_run() and aggregate_add() use several themselves; between them the result is
 * immutable.
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
#include "reader/stacks/sample_tag.h"
#include "reader/stacks/stack.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/tasks.h"

struct aggregate_plan {
	bool by_comm, by_tid;	      /* what to tell samples apart by, besides frames */
	bool is_one_event;	      /* not by event: all are event 0 */
	const struct tags_plan *tags; /* and by these; NULL: none */
	const struct capture_facts *capture_facts;
	bool with_chains;     /* also by callchain */
	bool by_address;      /* frames are addresses, not functions */
	enum line_kind lines; /* tells frames apart, too */
	bool with_inlined;    /* functions are frames of callchains */
	bool keep_roots; /* of callchains beyond max_frames keep the root's end, not the leaf's */
	const regex_t *ignored; /* functions whose callees are left out; NULL: none */
	uint32_t max_frames;
	enum unwind_way unwind;	 /* wanted of stacks that were dumped; only with chains */
	uint32_t max_unwound;	 /* frames of user space that are found */
	unsigned int nr_workers; /* at least 1 */
};

/* Samples of an event that a selection does not show, but percentages count. */
struct aggregate_rest {
	uint64_t period, nr_samples;
};

struct aggregate {
	struct stacks *parts; /* disjoint: a stack is in the part that its hash says */
	unsigned int nr_parts;
	struct frames frames; /* what the numbers in stacks mean */
	struct name_table comms;
	struct tags tags;	     /* where the plan has some */
	struct aggregate_rest *rest; /* by event */
	uint64_t nr_unknown;	     /* samples whose id no event has */
	uint64_t nr_bad;	     /* samples with a field that reaches beyond their end */
	uint64_t nr_cut;	     /* samples whose user callchain was deferred and is missing */
	struct unwind_counts unwound;
	struct spill *spill;  /* that of the capture */
	struct damage damage; /* chunks that could not be loaded; by stream, then offset */
};

/*
 * tasks must be frozen; the plan of tags outlives the result. -ENOMEM, or -EINVAL for damaged
 * formats of tracepoints that are sorted by; other damage is in the result.
 */
int aggregate_run(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct ts_tasks *tasks,
		  struct symbols *symbols, struct ts_error *err);
/*
 * Adds the samples of a table of what has come since, but for those up to the chunks' given_ns. Plan,
 * tasks and symbols are those that *a was made with, which may have grown. As aggregate_run(); where
 * it fails *a is released.
 */
int aggregate_add(struct aggregate *a, const struct aggregate_plan *plan,
		  const struct chunk_table *table, const struct ts_tasks *tasks,
		  struct symbols *symbols, struct ts_error *err);
void aggregate_release(struct aggregate *a); /* accepts a zeroed one; idempotent */

#endif
