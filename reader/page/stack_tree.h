/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted paths as a tree of boxes, the way a flame graph shows them. The nodes are in preorder: a
 * parent stands before its children, and the children stand in the order of their looks.
 *
 *	sh (4) --+-- main (4) --+-- read (3)
 *	                        +-- write (1)
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_STACK_TREE_H
#define TS_READER_PAGE_STACK_TREE_H

#include <stdint.h>

#include "reader/page/stack_paths.h"

#define STACK_TREE_ROOT UINT32_MAX /* the parent of a node at depth 0 */

struct stack_node {
	uint32_t look;
	uint32_t parent;      /* index, or STACK_TREE_ROOT */
	uint32_t depth;	      /* 0: the first look of a path */
	struct stack_run run; /* of all paths through it; zeros unless unknown frames are joined */
	/* by side: the weight of the paths before it in the order, and of those through it */
	struct stack_weight before[STACK_SIDES], total[STACK_SIDES];
};

struct stack_tree {
	struct memory *memory;
	struct stack_node *nodes; /* owned */
	uint32_t nr, cap;
	uint32_t *of_path; /* owned; the deepest node of each path */
};

/* Returns 0 or -ENOMEM; `memory` may be NULL. */
int stack_tree_init(struct stack_tree *t, const struct stack_paths *paths, struct memory *memory);
void stack_tree_release(struct stack_tree *t); /* accepts a zeroed one; idempotent */

/* Appends how many frames are one: " (23 frames)", " (2 to 60 frames)"; nothing of a single frame. */
void stack_tree_put_run(const struct stack_run *run, struct ts_bytes *out);

#endif
