/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tally: the stacks that one worker has counted, by numbers of its own. The tallies of all
 * workers become an aggregate.
 *
 *	tallies -> common numbers of frames, names and tags -> each its own stacks renumbered
 *	        -> stacks merged, part by part of the hash values, each part by one worker
 *
 * If the aggregate has stacks already, its numbers are the common ones, and the stacks are added to
 * its own.
 *
 * Threads: a tally belongs to one worker until workers are done; then tallies_add() uses several.
 */
#ifndef TS_READER_STACKS_TALLY_H
#define TS_READER_STACKS_TALLY_H

#include "reader/stacks/aggregate.h"

struct tally {
	struct stacks stacks;
	struct resolver resolver; /* has the frames of the stacks */
	struct name_table comms;
	struct tags tags;
	struct sample_log log;	     /* empty if the plan has none */
	struct aggregate_rest *rest; /* by event; NULL without a selection */
	uint64_t nr_unknown, nr_bad, nr_newer, nr_cut;
	struct unwind_counts unwound;
	int rc;
	struct ts_error err; /* code 0: rc is the whole error */
	/* private to tallies_add() */
	uint32_t *frame_numbers, *comm_numbers, *tag_numbers; /* own number -> common one */
	struct stack_place *places; /* of its stacks; NULL without a log */
};

/*
 * Adds nr tallies to *a, which has no parts yet or nr of them. nr_events is that of the capture.
 * Returns 0, -ENOMEM, or the failure of the first tally that failed, with its *err. After a failure
 * *a can only be released.
 */
int tallies_add(struct aggregate *a, struct tally *const *tallies, unsigned int nr,
		const struct aggregate_plan *plan, size_t nr_events, struct ts_error *err);
void tally_release(struct tally *t); /* accepts a zeroed one; idempotent */

#endif
