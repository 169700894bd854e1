/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of one address space over time: every map that was ever added, and which of them held an
 * address after the first so many.
 *
 * A later map takes the place of what it overlaps, so the one that holds an address is the newest
 * that covers it. Nothing is ever split or removed; "the first LIMIT maps" is the state after LIMIT
 * additions, and a fork's state is the parent's with the limit of that moment. A map whose dso is
 * TS_HOLE covers addresses and says that nothing is there.
 *
 * Threads: one thread adds; after ts_space_freeze() any number may look up.
 */
#ifndef TS_READER_TASKS_ADDRESS_SPACE_H
#define TS_READER_TASKS_ADDRESS_SPACE_H

#include <stdint.h>

#include "reader/tasks/tasks.h"

#define TS_HOLE	       UINT32_MAX /* dso of a map that takes others away */
#define TS_SPACE_NONE  UINT32_MAX /* no map */
#define TS_SPACE_LIMIT INT32_MAX  /* most maps of one space */

struct ts_space {
	struct ts_map *maps; /* in the order of their addition, so by time */
	uint32_t nr, cap;
	uint32_t nr_frozen; /* of them were there at the last ts_space_freeze() */
	/*
	 * Made by ts_space_freeze() where a scan would be slow; see address_space.c. nodes[i] to
	 * nodes[i + 1] delimit the part of `covers` that belongs to node i.
	 */
	uint64_t *points; /* all starts and ends, sorted, each once: nr_leaves + 1 of them */
	uint32_t nr_leaves;
	uint32_t *nodes;
	uint32_t *covers; /* indices of maps, ascending */
};

void ts_space_release(struct ts_space *s); /* frees; accepts a zeroed one; idempotent */
/* Adds a map, not older than the last one; start < end. 0 or -ENOMEM. */
int ts_space_add(struct ts_space *s, const struct ts_map *map);
/*
 * No more maps: gives spare memory back, makes lookups fast. Where more are added all the same, no
 * look-up until the next one. 0 or -ENOMEM.
 */
int ts_space_freeze(struct ts_space *s);

/* How many of the maps are not younger than time_ns: the limit for ts_space_find(). */
uint32_t ts_space_limit(const struct ts_space *s, uint64_t time_ns);
/* The newest of the first `limit` maps that covers addr; TS_SPACE_NONE if none does. */
uint32_t ts_space_find(const struct ts_space *s, uint64_t addr, uint32_t limit);
/* The same, and narrows *range, which has addr in it, to addresses around it of which the same is found. */
uint32_t ts_space_find_around(const struct ts_space *s, uint64_t addr, uint32_t limit,
			      struct ts_range *range);

#endif
