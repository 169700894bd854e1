/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one worker has counted, by numbers of its own, and how the tallies of all of them become an
 * aggregate.
 *
 *	tallies -> common numbers of frames, names and tags -> each its own stacks renumbered
 *	        -> stacks merged, part by part of the hash values, each part by one worker
 *
 * The aggregate may hold something already: then it has the numbers, and the stacks are added to
 * those that are there.
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
	struct aggregate_rest *rest; /* by event; NULL without a selection */
	uint64_t nr_unknown, nr_bad, nr_cut;
	struct unwind_counts unwound;
	int rc;
	struct ts_error err; /* its code is 0 where rc says all */
	/* private to tallies_add() */
	uint32_t *frame_numbers, *comm_numbers, *tag_numbers; /* own number -> common one */
};

/*
 * Adds nr tallies to *a, which has either no parts so far or nr of them. nr_events: of the capture.
 * 0, -ENOMEM, or the first tally's failure with its *err; then *a can only be released.
 */
int tallies_add(struct aggregate *a, struct tally *const *tallies, unsigned int nr,
		const struct aggregate_plan *plan, size_t nr_events, struct ts_error *err);
void tally_release(struct tally *t); /* accepts a zeroed one; idempotent */

#endif
