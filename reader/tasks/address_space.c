// SPDX-License-Identifier: Apache-2.0
/*
 * A space with few maps is scanned, newest map first. A space with many maps gets a segment tree
 * over the elementary intervals between all starts and ends. Each map stands in the few nodes that
 * together make up its range; the maps of a node are in order of age. A lookup goes from the leaf
 * of the address up to the root. The youngest map below the limit on this way is the newest that
 * covers the address.
 *
 *	points   p0      p1      p2      p3      p4
 *	leaves    |  4   |   5   |   6   |   7   |      leaf of interval i: node nr_leaves + i
 *	nodes     [-----2------] [------3-------]      parent of node n: n / 2
 *	          [------------ 1 --------------]
 *
 * n maps need at most 2 n log2(2 n) entries; disjoint maps need n. A lookup takes log2(2 n) binary
 * searches.
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
	free(s->points);
	free(s->nodes);
	free(s->covers);
	free(s->before);
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

static int compare_points(const void *a, const void *b)
{
	uint64_t left, right;

	left = *(const uint64_t *)a;
	right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

static int make_points(struct address_space *s)
{
	uint32_t nr = 0;

	s->points = calloc(2 * (size_t)s->nr, sizeof(*s->points));
	if (!s->points)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr; i++) {
		s->points[2 * i] = s->maps[i].start;
		s->points[2 * i + 1] = s->maps[i].end;
	}
	qsort(s->points, 2 * (size_t)s->nr, sizeof(*s->points), compare_points);
	for (uint32_t i = 1; i < 2 * s->nr; i++) {
		if (s->points[i] != s->points[nr])
			s->points[++nr] = s->points[i];
	}
	s->nr_leaves = nr;
	return 0;
}

/* The last point that is not above addr; -1 if there is none. */
static int64_t point_of(const struct address_space *s, uint64_t addr)
{
	int64_t low = -1, high = (int64_t)s->nr_leaves + 1;

	while (high - low > 1) {
		int64_t mid = low + (high - low) / 2;

		if (s->points[mid] <= addr)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/*
 * Counts a map in a node. If `covers` exists, enters the map there, at nodes[node].
 */
static void enter_map(struct address_space *s, size_t node, uint32_t map)
{
	if (s->covers)
		s->covers[s->nodes[node]] = map;
	s->nodes[node]++;
}

/* Enters a map into the nodes that together make up its range. */
static void enter_range(struct address_space *s, uint32_t map)
{
	size_t left = (size_t)point_of(s, s->maps[map].start) + s->nr_leaves;
	size_t right = (size_t)point_of(s, s->maps[map].end) + s->nr_leaves;

	for (; left < right; left /= 2, right /= 2) {
		if (left & 1)
			enter_map(s, left++, map);
		if (right & 1)
			enter_map(s, --right, map);
	}
}

/*
 * Turns counts into the beginnings of the parts. Returns the sum, or UINT64_MAX if it is too large.
 */
static uint64_t begin_parts(uint32_t *nodes, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t count = nodes[i];

		nodes[i] = (uint32_t)sum;
		sum += count;
		if (sum > UINT32_MAX)
			return UINT64_MAX;
	}
	return sum;
}

static int make_tree(struct address_space *s)
{
	size_t nr = 2 * (size_t)s->nr_leaves + 1;
	uint64_t sum;

	s->nodes = calloc(nr, sizeof(*s->nodes));
	if (!s->nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr; i++)
		enter_range(s, i);
	sum = begin_parts(s->nodes, nr);
	s->covers = sum > UINT32_MAX ? NULL : calloc(sum, sizeof(*s->covers));
	if (!s->covers)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr; i++)
		enter_range(s, i);
	/* Now nodes[n] is the end of the part of n, which is the beginning of the part of n + 1. */
	for (size_t i = nr - 1; i > 0; i--)
		s->nodes[i] = s->nodes[i - 1];
	s->nodes[0] = 0;
	return 0;
}

static bool has_memory(const struct address_space *s)
{
	uint32_t i = 0;

	while (i < s->nr && !s->maps[i].is_memory)
		i++;
	return i < s->nr;
}

static int note_before(struct address_space *s)
{
	const size_t nr = 2 * (size_t)s->nr_leaves;

	if (!has_memory(s))
		return 0;
	s->before = calloc((size_t)s->nodes[nr] + 1, sizeof(*s->before));
	for (size_t node = 0; s->before && node < nr; node++) {
		uint32_t last = ADDRESS_SPACE_NONE;

		for (uint32_t i = s->nodes[node]; i < s->nodes[node + 1]; i++) {
			last = s->maps[s->covers[i]].is_memory ? last : s->covers[i];
			s->before[i] = last;
		}
	}
	return s->before ? 0 : -ENOMEM;
}

static void drop_tree(struct address_space *s)
{
	free(s->points);
	free(s->nodes);
	free(s->covers);
	free(s->before);
	s->points = NULL;
	s->nodes = s->covers = s->before = NULL;
}

int address_space_freeze(struct address_space *s)
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
	return make_points(s) || make_tree(s) || note_before(s) ? -ENOMEM : 0;
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

/* Narrows by the points on both sides: no map begins or ends between them. */
static void narrow_by_points(const struct address_space *s, uint64_t addr, struct task_range *range)
{
	int64_t leaf = point_of(s, addr);

	if (leaf >= 0)
		range->start = ts_max(range->start, s->points[leaf]);
	if (leaf < (int64_t)s->nr_leaves)
		range->end = ts_min(range->end, s->points[leaf + 1]);
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
	uint32_t low = s->nodes[node], high = s->nodes[node + 1], begin = low;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->covers[mid] < limit)
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
	int64_t leaf = point_of(s, addr);

	if (leaf < 0 || leaf >= (int64_t)s->nr_leaves)
		return ADDRESS_SPACE_NONE;
	for (size_t node = (size_t)leaf + s->nr_leaves; node; node /= 2) {
		uint32_t found = youngest(s, indices, node, limit);

		if (found != ADDRESS_SPACE_NONE && (best == ADDRESS_SPACE_NONE || found > best))
			best = found;
	}
	return best;
}

uint32_t address_space_find(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	return s->nodes ? find_by_tree(s, s->covers, addr, limit)
			: scan_maps(s, addr, ts_min(limit, s->nr), true);
}

uint32_t address_space_find_before(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	return s->nodes ? find_by_tree(s, s->before ? s->before : s->covers, addr, limit)
			: scan_maps(s, addr, ts_min(limit, s->nr), false);
}

uint32_t address_space_find_around(const struct address_space *s, uint64_t addr, uint32_t limit,
				   struct task_range *range)
{
	uint32_t found = address_space_find(s, addr, limit);

	if (s->nodes)
		narrow_by_points(s, addr, range);
	else
		narrow_by_scan(s, addr, ts_min(limit, s->nr), found, range);
	return found;
}
