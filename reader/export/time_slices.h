/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a time into slices with about as many samples each, without sorting the samples: they are counted
 * in bins of equal length, and a slice is a run of bins.
 *
 *	time_slices_init(), time_slices_count() for each sample, then time_slices_next() ...
 *
 * Threads: one owner.
 */
#ifndef TS_READER_EXPORT_TIME_SLICES_H
#define TS_READER_EXPORT_TIME_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct time_slices {
	uint64_t first_ns, bin_ns;
	uint64_t *bins; /* owned; samples of each */
	uint64_t most;	/* samples of a slice, unless one bin has more */
	uint32_t next;	/* bin that is in no slice yet */
};

/* Of samples from first_ns to last_ns. Returns 0 or -ENOMEM. */
int time_slices_init(struct time_slices *s, uint64_t first_ns, uint64_t last_ns, uint64_t most);
void time_slices_release(struct time_slices *s); /* accepts a zeroed one; idempotent */

void time_slices_count(struct time_slices *s, uint64_t time_ns);
/*
 * The next slice: of all that is not in an earlier one and before *ret_until_ns; 0: all that is left.
 * False: there is none.
 */
bool time_slices_next(struct time_slices *s, uint64_t *ret_until_ns);

#endif
