/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples of a thread by stack: for formats that have a stack once, and then all of its times.
 *
 *	thread	10: path 4 | 20: path 1 | 30: path 4
 *	groups	path 4: 10, 30 | path 1: 20
 *
 * A thread is taken in runs of at most TIMED_GROUPS_RUN samples, so memory is bounded: a stack may have a
 * group in each run.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_PAGE_TIMED_GROUPS_H
#define TS_READER_PAGE_TIMED_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/page/timed_samples.h"

#define TIMED_GROUPS_RUN (256u << 10)

struct timed_groups {
	const struct timed_sample *run, *end; /* samples of this run; the thread's end */
	uint32_t nr, at;		      /* samples of this run; the next one */
	uint32_t *heads;		      /* owned; by path: first sample of its group + 1 */
	uint32_t *links;		      /* owned; by sample: the next one of its group + 1 */
	/* the group: */
	const struct timed_sample **items; /* owned; in the order of time */
	uint32_t nr_items;		   /* at least one */
};

/* 0 or -ENOMEM; release in both cases. */
int timed_groups_init(struct timed_groups *g, size_t nr_paths, struct memory *memory);
/* Begins a thread of the samples, which must outlive the walk. A walk may not be left before its end. */
void timed_groups_begin(struct timed_groups *g, const struct timed_samples *samples,
			const struct timed_thread *thread);
/* Makes the next group, in the order of their first samples. False: there are no more. */
bool timed_groups_next(struct timed_groups *g);
void timed_groups_release(struct timed_groups *g); /* accepts a zeroed one; idempotent */

#endif
