/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a time into slices with about as many samples each, without sorting the samples: they are counted
 * in bins of equal length, and a slice is a run of bins. Samples are those of threads, each in the order of
 * time. A thread waits in the bin of its next sample, so a slice finds its threads without asking all.
 *
 *	bins     | 3 | 0 | 5 | 1 | 0 | 9 |
 *	slices   |   8       | 1     | 9 |
 *	waiting   t0       t4      ...
 *
 *	time_slices_init(), time_slices_count() for each sample, time_slices_wait() for each thread, then
 *	time_slices_next(); take the samples of the threads in here[], and time_slices_wait() for each that
 *	has more; and so on.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_EXPORT_TIME_SLICES_H
#define TS_READER_EXPORT_TIME_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/runtime/memory.h"

struct time_slices_plan {
	uint64_t first_ns, last_ns; /* of all samples */
	uint64_t most;		    /* samples of a slice, unless one bin has more */
	uint32_t nr_threads;
};

struct time_slices {
	uint64_t first_ns, bin_ns, most;
	uint64_t *bins;	 /* owned, as all below; samples of each */
	uint32_t next;	 /* bin that is in no slice yet */
	uint32_t *heads; /* by bin: a thread that waits there + 1; 0: none */
	uint32_t *links; /* by thread: the next one of its bin + 1; 0: none */
	/* of the slice: */
	uint32_t *here; /* threads that waited in its bins, in their order */
	uint32_t nr_here;
};

/* Returns 0 or -ENOMEM; release it in both cases. */
int time_slices_init(struct time_slices *s, const struct time_slices_plan *plan,
		     struct memory *memory);
void time_slices_release(struct time_slices *s); /* accepts a zeroed one; idempotent */

void time_slices_count(struct time_slices *s, uint64_t time_ns);
/* The next sample of the thread, which does not wait yet, is at this time. */
void time_slices_wait(struct time_slices *s, uint32_t thread, uint64_t time_ns);
/*
 * The next slice: of all that is not in an earlier one and before *ret_until_ns; 0: all that is left.
 * False: there is none.
 */
bool time_slices_next(struct time_slices *s, uint64_t *ret_until_ns);

#endif
