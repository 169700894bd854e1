/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of stacks as the page has it: at most so many nodes, numbered in preorder, and the looks that
 * they use.
 *
 *	a tree that is too large: the smallest subtrees become one child of their parent
 *
 *	main (90) --+-- read (80)		main (90) --+-- (2 small) (10)
 *		    +-- write (6)  -- x			    +-- read (80)
 *		    +-- close (4)
 *
 * So samples of a node itself stay its own. A stack is a node in which paths end; stacks are numbered in the
 * order of their nodes.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_HTML_HTML_TREE_H
#define TS_READER_HTML_HTML_TREE_H

#include <stdint.h>

#include "reader/page/stack_tree.h"
#include "reader/page/timed_samples.h"
#include "reader/runtime/name_table.h"

struct html_node {
	uint32_t look;	 /* of the page */
	uint32_t parent; /* index, or STACK_TREE_ROOT */
	struct stack_run run;
};

struct html_tree {
	struct html_node *nodes; /* owned */
	uint32_t nr, nr_stacks, nr_looks;
	uint32_t *node_of_stack; /* owned; rising */
	uint32_t *stack_of_path; /* owned */
	/* owned; the looks of the page by their number in *paths->looks; further ones are those of `small` */
	uint32_t *looks;
	uint32_t nr_used;	 /* in looks[] */
	struct name_table small; /* "(12 small)" */
	uint64_t nr_merged;	 /* nodes that were merged into such children */
};

/*
 * `tree` is that of the paths, and of all events. Its nodes are weighed by the samples through them.
 * Returns 0 or -ENOMEM; `memory` may be NULL.
 */
int html_tree_init(struct html_tree *t, const struct stack_tree *tree,
		   const struct stack_paths *paths, const struct timed_samples *samples,
		   uint32_t most_nodes, struct memory *memory);
void html_tree_release(struct html_tree *t); /* accepts a zeroed one; idempotent */

/* The look of the page; NULL: it is of merged nodes, and html_tree_name() has its name. */
static inline const struct frame_look *
html_tree_look(const struct html_tree *t, const struct frame_looks *looks, uint32_t number)
{
	return number < t->nr_used ? &looks->items[t->looks[number]] : NULL;
}

static inline const char *html_tree_name(const struct html_tree *t, const struct frame_looks *looks,
					 uint32_t number)
{
	return number < t->nr_used ? looks->items[t->looks[number]].name
				   : t->small.items[number - t->nr_used];
}

#endif
