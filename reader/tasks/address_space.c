// SPDX-License-Identifier: Apache-2.0
/*
 * A space with few maps is scanned, newest map first. A space with many maps gets a tree of their
 * ranges. Each map stands in a few nodes; the maps of a node are in order of age. A lookup goes from
 * the leaf of the address up to the root. The youngest map below the limit on this way is the newest
 * that covers the address. A lookup takes log2(2 n) binary searches.
 */
#include "reader/tasks/address_space.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/tasks/timed_versions.h"

#define SCAN_MAX 24 /* so many maps are scanned as fast as the tree is searched */

void address_space_release(struct address_space *s)
{
	free(s->maps);
	range_tree_release(&s->tree);
	memory_free(s->before);
	*s = (struct address_space){0};
}

int address_space_add(struct address_space *s, const struct task_map *map)
{
	uint32_t cap = s->cap ? 2 * s->cap : 4;
	struct task_map *maps;

	if (s->nr < s->cap) {
		s->maps[s->nr++] = *map;
		return 0;
	}
	maps = cap > ADDRESS_SPACE_LIMIT ? NULL : reallocarray(s->maps, cap, sizeof(*maps));
	if (!maps)
		return -ENOMEM;
	s->maps = maps;
	s->cap = cap;
	s->maps[s->nr++] = *map;
	return 0;
}

/* --- the tree --- */

static int make_tree(struct address_space *s, struct memory *memory)
{
	struct task_range *ranges = memory_new(memory, s->nr, sizeof(*ranges));
	int rc;

	if (!ranges)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr; i++)
		ranges[i] = (struct task_range){s->maps[i].start, s->maps[i].end};
	rc = range_tree_make(&s->tree, memory, ranges, s->nr);
	memory_free(ranges);
	return rc;
}

static bool has_memory(const struct address_space *s)
{
	uint32_t i = 0;

	while (i < s->nr && !s->maps[i].is_memory)
		i++;
	return i < s->nr;
}

static int note_before(struct address_space *s, struct memory *memory)
{
	const size_t nr = 2 * (size_t)s->tree.nr_leaves;

	if (!has_memory(s))
		return 0;
	s->before = memory_new(memory, (size_t)s->tree.nodes[nr] + 1, sizeof(*s->before));
	for (size_t node = 0; s->before && node < nr; node++) {
		uint32_t last = ADDRESS_SPACE_NONE;

		for (uint32_t i = s->tree.nodes[node]; i < s->tree.nodes[node + 1]; i++) {
			last = s->maps[s->tree.covers[i]].is_memory ? last : s->tree.covers[i];
			s->before[i] = last;
		}
	}
	return s->before ? 0 : -ENOMEM;
}

static void drop_tree(struct address_space *s)
{
	range_tree_release(&s->tree);
	memory_free(s->before);
	s->before = NULL;
}

int address_space_freeze(struct address_space *s, struct memory *memory)
{
	struct task_map *maps;

	if (s->nr == s->nr_frozen)
		return 0;
	drop_tree(s);
	s->nr_frozen = s->nr;
	maps = reallocarray(s->maps, s->nr, sizeof(*maps));
	if (maps) {
		s->maps = maps;
		s->cap = s->nr;
	}
	if (s->nr <= SCAN_MAX)
		return 0;
	return make_tree(s, memory) || note_before(s, memory) ? -ENOMEM : 0;
}

/* --- lookup --- */

uint32_t address_space_limit(const struct address_space *s, uint64_t time_ns)
{
	return timed_versions_until(s->maps, sizeof(s->maps[0]), offsetof(struct task_map, time_ns),
				    s->nr, time_ns);
}

static void narrow_range(struct task_range *range, uint64_t addr, const struct task_map *map)
{
	if (addr >= map->end)
		range->start = ts_max(range->start, map->end);
	else if (addr < map->start)
		range->end = ts_min(range->end, map->start);
	else
		*range = (struct task_range){ts_max(range->start, map->start),
					     ts_min(range->end, map->end)};
}

/* Narrows by the maps that a scan passes, up to the found one if that is no memory. */
static void narrow_by_scan(const struct address_space *s, uint64_t addr, uint32_t limit,
			   uint32_t found, struct task_range *range)
{
	for (uint32_t i = limit; i-- > 0;) {
		narrow_range(range, addr, &s->maps[i]);
		if (i == found && !s->maps[i].is_memory)
			return;
	}
}

static uint32_t scan_maps(const struct address_space *s, uint64_t addr, uint32_t limit,
			  bool with_memory)
{
	for (uint32_t i = limit; i-- > 0;) {
		if (addr >= s->maps[i].start && addr < s->maps[i].end &&
		    (with_memory || !s->maps[i].is_memory))
			return i;
	}
	return ADDRESS_SPACE_NONE;
}

/*
 * The youngest map below the limit in one node, of `indices` (covers, or before);
 * ADDRESS_SPACE_NONE if there is none.
 */
static uint32_t youngest(const struct address_space *s, const uint32_t *indices, size_t node,
			 uint32_t limit)
{
	uint32_t low = s->tree.nodes[node], high = s->tree.nodes[node + 1], begin = low;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->tree.covers[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low > begin ? indices[low - 1] : ADDRESS_SPACE_NONE;
}

static uint32_t find_by_tree(const struct address_space *s, const uint32_t *indices, uint64_t addr,
			     uint32_t limit)
{
	uint32_t best = ADDRESS_SPACE_NONE;

	for (size_t node = range_tree_leaf(&s->tree, addr); node; node /= 2) {
		uint32_t found = youngest(s, indices, node, limit);

		if (found != ADDRESS_SPACE_NONE && (best == ADDRESS_SPACE_NONE || found > best))
			best = found;
	}
	return best;
}

uint32_t address_space_find(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	return s->tree.nodes ? find_by_tree(s, s->tree.covers, addr, limit)
			     : scan_maps(s, addr, ts_min(limit, s->nr), true);
}

uint32_t address_space_find_before(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	return s->tree.nodes ? find_by_tree(s, s->before ? s->before : s->tree.covers, addr, limit)
			     : scan_maps(s, addr, ts_min(limit, s->nr), false);
}

uint32_t address_space_find_around(const struct address_space *s, uint64_t addr, uint32_t limit,
				   struct task_range *range)
{
	uint32_t found = address_space_find(s, addr, limit);

	if (s->tree.nodes)
		range_tree_narrow(&s->tree, addr, range);
	else
		narrow_by_scan(s, addr, ts_min(limit, s->nr), found, range);
	return found;
}
