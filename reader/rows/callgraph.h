/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call graph of one entry of a report: its callchains as a tree, with the period of each path.
 *
 * The tree grows level by level (one frame per node), the heaviest child first. Nothing grows below
 * children that are lighter than the limit and thus left out. callgraph_list() lists the callchains
 * instead, the heaviest first. A run is printed as one piece: its frames follow each other, and no
 * branch and no end of a callchain is between them.
 *
 * Threads: a callgraph belongs to one thread and may be built for one entry after the other.
 */
#ifndef TS_READER_ROWS_CALLGRAPH_H
#define TS_READER_ROWS_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/rows/callgraph_style.h"
#include "reader/rows/table.h"

#define CALLGRAPH_NONE UINT32_MAX

struct callgraph_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t first_child;	     /* CALLGRAPH_NONE: none; in order after callgraph_build() */
	uint32_t next;		     /* sibling */
	uint32_t nr_children;	     /* all, even those left out */
	bool is_shown;		     /* heavy enough to be among its parent's children */
	uint64_t period, nr_samples; /* of all callchains through here */
	uint64_t end_period, nr_end_samples; /* of the callchains that end here */
};

struct callgraph_way {	      /* private: the position of one callchain in the tree */
	const uint32_t *next; /* its next frame, in the order of the tree */
	uint32_t nr_left;     /* frames from `next` on */
	uint32_t node;	      /* its current node */
	uint64_t period, nr_samples;
};

struct callgraph {
	const struct table *table;
	struct callgraph_node *nodes; /* nodes[0] is the root, which stands for no frame */
	uint32_t nr;
	uint32_t *slots; /* (parent, frame) -> node + 1 */
	size_t nr_slots;
	uint32_t *order; /* scratch for sorting; the callchains after callgraph_list() */
	uint32_t cap_order;
	struct callgraph_way *ways; /* scratch */
	uint32_t nr_ways, cap_ways;
};

/* Makes *g empty. The table, whose entries it will draw, must outlive it. */
void callgraph_init(struct callgraph *g, const struct table *table);
/*
 * Builds the tree of an entry of the table. Children below the style's least share are left out.
 * The share is of the period of the event; in fractal graphs it is of the period that continues
 * below the parent. Returns 0 or -ENOMEM.
 */
int callgraph_build(struct callgraph *g, const struct table_entry *entry,
		    const struct callgraph_style *style);
/*
 * Lists in g->order the nodes at which callchains of at least the style's share end, the heaviest
 * first. Returns their number or -ENOMEM.
 */
int64_t callgraph_list(struct callgraph *g, const struct table_entry *entry,
		       const struct callgraph_style *style);
void callgraph_release(struct callgraph *g); /* accepts a zeroed one; idempotent */

/* The last node of the run that begins at `node`. */
uint32_t callgraph_run_end(const struct callgraph *g, uint32_t node);

#endif
