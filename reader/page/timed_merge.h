/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of logs become the samples of threads in the order of time, on several cores.
 *
 *	runs of a thread:  10 20 30 | 15 | 25  --> heap by their next time --> 10 15 20 25 30
 *
 * A worker takes a thread, or a slice of the time of a large one. The runs tell where the slice begins among the samples,
 * so no worker waits for another. Samples of one time are put in order when the last of them is there (timed_ties.c).
 *
 * Threads: the caller; it starts workers and waits for them.
 */
#ifndef TS_READER_PAGE_TIMED_MERGE_H
#define TS_READER_PAGE_TIMED_MERGE_H

#include "reader/page/timed_samples.h"

/*
 * Fills the items of *t, and adds the periods of threads and length_ns. The threads have first and nr, and the captures
 * their starts; nr_alone threads stand before those that are merged. 0 or -ENOMEM.
 */
int timed_merge_run(struct timed_samples *t, const struct aggregate *a,
		    const struct stack_paths *paths, uint32_t nr_alone, unsigned int nr_workers);

#endif
