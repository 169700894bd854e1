// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/range_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"

static int compare_points(const void *a, const void *b)
{
	uint64_t left, right;

	left = *(const uint64_t *)a;
	right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

static int make_points(struct range_tree *t, struct memory *memory, const struct task_range *ranges,
		       uint32_t nr_ranges)
{
	uint32_t nr = 0;

	t->points = memory_new(memory, 2 * (size_t)nr_ranges, sizeof(*t->points));
	if (!t->points)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_ranges; i++) {
		t->points[2 * (size_t)i] = ranges[i].start;
		t->points[2 * (size_t)i + 1] = ranges[i].end;
	}
	qsort(t->points, 2 * (size_t)nr_ranges, sizeof(*t->points), compare_points);
	for (size_t i = 1; i < 2 * (size_t)nr_ranges; i++) {
		if (t->points[i] != t->points[nr])
			t->points[++nr] = t->points[i];
	}
	t->nr_leaves = nr;
	return 0;
}

/* The last point that is not above addr; -1 if there is none. */
static int64_t point_of(const struct range_tree *t, uint64_t addr)
{
	int64_t low = -1, high = (int64_t)t->nr_leaves + 1;

	while (high - low > 1) {
		int64_t mid = low + (high - low) / 2;

		if (t->points[mid] <= addr)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/*
 * Counts a range in a node. If `covers` exists, enters the range there, at nodes[node].
 */
static void enter_node(struct range_tree *t, size_t node, uint32_t range)
{
	if (t->covers)
		t->covers[t->nodes[node]] = range;
	t->nodes[node]++;
}

/* Enters all ranges, each into the nodes that together make it up. */
static void enter_ranges(struct range_tree *t, const struct task_range *ranges, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		size_t left = (size_t)point_of(t, ranges[i].start) + t->nr_leaves;
		size_t right = (size_t)point_of(t, ranges[i].end) + t->nr_leaves;

		for (; left < right; left /= 2, right /= 2) {
			if (left & 1)
				enter_node(t, left++, i);
			if (right & 1)
				enter_node(t, --right, i);
		}
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

static int make_nodes(struct range_tree *t, struct memory *memory, const struct task_range *ranges,
		      uint32_t nr_ranges)
{
	size_t nr = 2 * (size_t)t->nr_leaves + 1;
	uint64_t sum;

	t->nodes = memory_new(memory, nr, sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	enter_ranges(t, ranges, nr_ranges);
	sum = begin_parts(t->nodes, nr);
	t->covers = sum > UINT32_MAX ? NULL : memory_new(memory, sum, sizeof(*t->covers));
	if (!t->covers)
		return -ENOMEM;
	enter_ranges(t, ranges, nr_ranges);
	/* Now nodes[n] is the end of the part of n, which is the beginning of the part of n + 1. */
	for (size_t i = nr - 1; i > 0; i--)
		t->nodes[i] = t->nodes[i - 1];
	t->nodes[0] = 0;
	return 0;
}

int range_tree_make(struct range_tree *t, struct memory *memory, const struct task_range *ranges,
		    uint32_t nr)
{
	*t = (struct range_tree){0};
	if (!make_points(t, memory, ranges, nr) && !make_nodes(t, memory, ranges, nr))
		return 0;
	range_tree_release(t);
	return -ENOMEM;
}

void range_tree_release(struct range_tree *t)
{
	memory_free(t->points);
	memory_free(t->nodes);
	memory_free(t->covers);
	*t = (struct range_tree){0};
}

size_t range_tree_leaf(const struct range_tree *t, uint64_t addr)
{
	int64_t leaf = point_of(t, addr);

	return leaf < 0 || leaf >= (int64_t)t->nr_leaves ? 0 : (size_t)leaf + t->nr_leaves;
}

void range_tree_narrow(const struct range_tree *t, uint64_t addr, struct task_range *around)
{
	int64_t leaf = point_of(t, addr);

	if (leaf >= 0)
		around->start = ts_max(around->start, t->points[leaf]);
	if (leaf < (int64_t)t->nr_leaves)
		around->end = ts_min(around->end, t->points[leaf + 1]);
}
