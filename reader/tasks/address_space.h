/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of one address space over time: every map that was ever added. A lookup tells which map
 * held an address after the first LIMIT additions.
 *
 * A later map replaces the maps that it overlaps, so the newest map that covers an address holds
 * it. No map is ever split or removed. "The first LIMIT maps" is the state after LIMIT additions;
 * the state of a fork is its parent's with the limit of that moment. A map whose dso is ADDRESS_SPACE_HOLE
 * covers addresses at which nothing is mapped.
 *
 * Threads: one thread adds; after address_space_freeze() any number may look up.
 */
#ifndef TS_READER_TASKS_ADDRESS_SPACE_H
#define TS_READER_TASKS_ADDRESS_SPACE_H

#include <stdint.h>

#include "reader/tasks/range_tree.h"
#include "reader/tasks/tasks.h"

#define ADDRESS_SPACE_HOLE  UINT32_MAX /* dso of a map that ends other maps */
#define ADDRESS_SPACE_NONE  UINT32_MAX /* no map */
#define ADDRESS_SPACE_LIMIT INT32_MAX  /* the most maps of one space */

struct address_space {
	struct task_map *maps; /* in the order of their addition, so by time */
	uint32_t nr, cap;
	uint32_t nr_frozen;	/* so many were there at the last address_space_freeze() */
	struct range_tree tree; /* of the maps; made if a scan would be slow */
	/* for each of its `covers`: the last in the part, up to it, that is no memory; NULL: none is */
	uint32_t *before;
};

void address_space_release(struct address_space *s); /* frees; accepts a zeroed one; idempotent */
/* Adds a map, not older than the last one; start < end. 0 or -ENOMEM. */
int address_space_add(struct address_space *s, const struct task_map *map);
/*
 * Ends the additions: gives spare memory back and makes lookups fast. If more maps are added later,
 * no thread may look up until the next freeze. Blocks of `memory`, which may be NULL, hold what it
 * makes. 0 or -ENOMEM.
 */
int address_space_freeze(struct address_space *s, struct memory *memory);

/* The number of maps that are not younger than time_ns: the limit for address_space_find(). */
uint32_t address_space_limit(const struct address_space *s, uint64_t time_ns);
/* The newest of the first `limit` maps that covers addr; ADDRESS_SPACE_NONE if none does. */
uint32_t address_space_find(const struct address_space *s, uint64_t addr, uint32_t limit);
/* The same among maps that are not memory (task_map.is_memory). */
uint32_t address_space_find_before(const struct address_space *s, uint64_t addr, uint32_t limit);
/*
 * As address_space_find(). Also narrows *range, which contains addr, to addresses around addr that have the same
 * result, also of address_space_find_before() if that is a map of memory.
 */
uint32_t address_space_find_around(const struct address_space *s, uint64_t addr, uint32_t limit,
				   struct task_range *range);

#endif
