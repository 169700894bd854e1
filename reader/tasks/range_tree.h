/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A segment tree over ranges of addresses: which of many ranges cover an address. It never changes.
 *
 * Its leaves are the elementary intervals between all starts and ends. Each range stands in the few
 * nodes that together make up its addresses. The ranges that cover an address are those in the
 * nodes from its leaf up to the root.
 *
 *	points   p0      p1      p2      p3      p4
 *	leaves    |  4   |   5   |   6   |   7   |      leaf of interval i: node nr_leaves + i
 *	nodes     [-----2------] [------3-------]      parent of node n: n / 2
 *	          [------------ 1 --------------]
 *
 * n ranges need at most 2 n log2(2 n) entries; disjoint ranges need n.
 *
 * Threads: one thread makes it; then any number may look up.
 */
#ifndef TS_READER_TASKS_RANGE_TREE_H
#define TS_READER_TASKS_RANGE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "reader/runtime/memory.h"
#include "reader/tasks/tasks.h"

struct range_tree {
	uint64_t *points; /* all starts and ends, sorted, each once: nr_leaves + 1 of them */
	uint32_t nr_leaves;
	/* nodes[i] and nodes[i + 1] delimit the part of `covers` that belongs to node i */
	uint32_t *nodes;  /* NULL: there is no tree */
	uint32_t *covers; /* numbers of ranges, ascending in each part */
};

/*
 * Makes the tree of `nr` ranges, numbered from 0, in blocks of `memory`, which may be NULL; no range is
 * empty. 0 or -ENOMEM.
 */
int range_tree_make(struct range_tree *t, struct memory *memory, const struct task_range *ranges,
		    uint32_t nr);
void range_tree_release(struct range_tree *t); /* accepts a zeroed one; idempotent */

/* The node of the leaf that has addr; 0: no range covers it. The node above a node n is n / 2. */
size_t range_tree_leaf(const struct range_tree *t, uint64_t addr);
/* Narrows *around, which contains addr, to addresses that the same ranges cover. */
void range_tree_narrow(const struct range_tree *t, uint64_t addr, struct task_range *around);

#endif
