/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call graph of one entry of a report: its callchains as a tree, with the period of each way.
 *
 * The tree grows level by level (one frame a node), the heaviest child first; nothing grows below
 * children that are left out because they are below the limit. Or it is listed: the callchains, the
 * heaviest first. A run is what is printed as one piece: frames that follow each other without a
 * branch and without an end of a callchain between them.
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
	uint32_t nr_children;	     /* all of them, also those left out */
	bool is_shown;		     /* heavy enough to be among its parent's children */
	uint64_t period, nr_samples; /* of all callchains through here */
	uint64_t end_period, nr_end_samples; /* of those that end here */
};

struct callgraph_way {	      /* private: how far a callchain has come */
	const uint32_t *next; /* the frame that it goes to, in the order of the tree */
	uint32_t nr_left;     /* frames from there on */
	uint32_t node;	      /* that it stands at */
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

/* Empty, for entries of this table, which must outlive it. */
void callgraph_init(struct callgraph *g, const struct table *table);
/*
 * Builds the tree of an entry of the linked table; children of less than the style's share are left
 * out: of the event's period, for fractal graphs of what goes on below their parent. 0 or -ENOMEM.
 */
int callgraph_build(struct callgraph *g, const struct table_entry *entry,
		    const struct callgraph_style *style);
/*
 * The nodes at which callchains of at least the style's share end, the heaviest first: their number,
 * they are in g->order. -ENOMEM.
 */
int64_t callgraph_list(struct callgraph *g, const struct table_entry *entry,
		       const struct callgraph_style *style);
void callgraph_release(struct callgraph *g); /* accepts a zeroed one; idempotent */

/* The last node of the run that begins at `node`. */
uint32_t callgraph_run_end(const struct callgraph *g, uint32_t node);

#endif
