/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps that processes at the end of long chains of forks began with. A lookup that asked one
 * parent after the other would take as many steps as the chain has forks.
 *
 * All forks together are a forest. A walk through it, which visits maps and forks of a process in
 * the order of their time, gives each process and each map a position. A map is there from its own
 * position up to the last one below its process:
 *
 *	process A:  map 1, fork B, map 2, fork C          position  0  1  2  3  4  5
 *	process B:                 map 3                            A  1  B  3  2  C
 *	                                                  map 1     .  [------------)
 *	                                                  map 3     .  .  .  [-)
 *	                                                  map 2     .  .  .  .  [---)
 *
 * So the maps that process C began with are those that are there at its position. Two maps are there
 * one inside the other, or at different positions. The newest of several is the one that begins
 * last. Each node of a tree over addresses has the positions at which its newest map changes.
 *
 * Threads: one thread makes it; then any number may look up.
 */
#ifndef TS_READER_TASKS_FORK_INDEX_H
#define TS_READER_TASKS_FORK_INDEX_H

#include <stdint.h>

#include "reader/tasks/range_tree.h"

#define FORK_INDEX_NONE UINT32_MAX

struct task_space;

struct fork_map {
	uint32_t space, map; /* the process, and the map's number in it */
	uint32_t begin, end; /* positions */
};

struct fork_change { /* private */
	uint32_t position;
	uint32_t newest, before; /* from there on; numbers of maps */
};

struct fork_index {
	struct fork_map *maps; /* by position; NULL: no chain is long */
	uint32_t nr_maps;
	struct range_tree tree;
	/* private: two for each of the tree's covers; what is unused has the position UINT32_MAX */
	struct fork_change *changes;
};

/*
 * Makes the index of all spaces that are deep, with their parents, and gives these spaces their
 * positions. Blocks of `memory`, which may be NULL, hold it. 0 or -ENOMEM.
 */
int fork_index_make(struct fork_index *f, struct memory *memory, struct task_space *spaces,
		    uint32_t nr_spaces);
void fork_index_release(struct fork_index *f); /* accepts a zeroed one; idempotent */

struct fork_found { /* numbers of maps; FORK_INDEX_NONE: none */
	uint32_t newest;
	uint32_t before; /* the newest that is no memory */
};

/*
 * The maps at addr that a deep space at this position began with. Narrows *around (or NULL) to
 * addresses that have the same.
 */
struct fork_found fork_index_find(const struct fork_index *f, uint32_t position, uint64_t addr,
				  struct task_range *around);

#endif
