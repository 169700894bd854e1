/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of one event as paths of looks: the command, then the frames from the outermost one to
 * the leaf. Paths that look the same are one, and the paths are sorted. So a tree of them is made in
 * one pass, and a list of them is the same for each order of reading.
 *
 *	sh;main;read    3 samples
 *	sh;main;write   1
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_STACK_PATHS_H
#define TS_READER_PAGE_STACK_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "reader/page/frame_looks.h"

struct stack_path {
	uint64_t first; /* index into stack_paths.looks */
	uint32_t nr;	/* looks; at least two */
	uint64_t nr_samples, period;
};

struct stack_paths {
	const struct frame_looks *looks_of; /* what the numbers mean */
	struct stack_path *items;	    /* owned; sorted */
	size_t nr;
	uint32_t *looks; /* owned; of all paths, one after the other */
	uint64_t nr_samples, period;
};

/* The aggregate tells stacks apart by command. Both must outlive *p. Returns 0 or -ENOMEM. */
int stack_paths_init(struct stack_paths *p, const struct aggregate *a,
		     const struct frame_looks *looks, uint32_t event);
void stack_paths_release(struct stack_paths *p); /* accepts a zeroed one; idempotent */

#endif
