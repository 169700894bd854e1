/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples of a capture in the order of time, over all of its threads: for what adds up over CPUs.
 *
 *	thread 1:  10 20 30 \
 *	thread 2:  15        > heap of threads by their next time: 10 15 20 25 30
 *	thread 3:  25       /
 *
 * Samples of one time are in the order of their threads. The merged threads of a capture are one of them.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_PAGE_TIMED_WALK_H
#define TS_READER_PAGE_TIMED_WALK_H

#include <stdint.h>

#include "reader/page/timed_samples.h"

struct timed_lane { /* a thread */
	const struct timed_sample *next, *end;
};

struct timed_walk {
	struct timed_lane *heap; /* owned; the lowest time first */
	uint32_t nr;
};

/* The samples must outlive *w. 0 or -ENOMEM; release in both cases. */
int timed_walk_init(struct timed_walk *w, const struct timed_samples *samples, uint32_t capture,
		    struct memory *memory);
/* NULL: there are no more. */
const struct timed_sample *timed_walk_next(struct timed_walk *w);
void timed_walk_release(struct timed_walk *w); /* accepts a zeroed one; idempotent */

#endif
