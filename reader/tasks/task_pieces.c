// SPDX-License-Identifier: Apache-2.0
/*
 * Between two neighbouring starts or ends of maps, one map holds all addresses, or none does.
 * Neighbouring intervals of the same map make up one piece.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader/tasks/task_table.h"

static int compare_points(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Starts and ends of all maps that a space has at the end, sorted; *ret_nr of them. NULL: out of
 * memory.
 */
static uint64_t *find_points(const struct tasks *t, uint32_t space, size_t *ret_nr)
{
	uint32_t limit = t->spaces[space].maps.nr;
	uint64_t *points = NULL;
	size_t nr = 0;

	for (; space != TASK_NO_SPACE; space = t->spaces[space].parent) {
		const struct task_space *s = &t->spaces[space];
		uint64_t *more = reallocarray(points, nr + 2 * (size_t)limit + 1, sizeof(*points));

		if (!more) {
			free(points);
			return NULL;
		}
		points = more;
		for (uint32_t i = 0; i < limit; i++) {
			points[nr++] = s->maps.maps[i].start;
			points[nr++] = s->maps.maps[i].end;
		}
		limit = s->parent_limit;
	}
	qsort(points, nr, sizeof(*points), compare_points);
	*ret_nr = nr;
	return points;
}

/* Adds the interval between two points: to the last piece, as a new piece, or not at all. */
static size_t add_between(const struct tasks *t, uint32_t space, const uint64_t points[2],
			  struct task_piece *pieces, size_t nr)
{
	const struct task_map *map =
		task_table_find_map(t, &space, t->spaces[space].maps.nr, points[0], NULL);

	if (!map)
		return nr;
	if (nr && pieces[nr - 1].map == map && pieces[nr - 1].end == points[0]) {
		pieces[nr - 1].end = points[1];
		return nr;
	}
	pieces[nr] = (struct task_piece){points[0], points[1], map, t->spaces[space].pid};
	return nr + 1;
}

int tasks_pieces(const struct tasks *t, uint32_t pid, struct task_piece **ret, size_t *ret_nr)
{
	uint32_t space = task_table_space(t, pid);
	struct task_piece *pieces;
	size_t nr_points, nr = 0;
	uint64_t *points;

	*ret = NULL;
	*ret_nr = 0;
	if (space == TASK_NO_SPACE)
		return 0;
	points = find_points(t, space, &nr_points);
	pieces = points ? calloc(nr_points + 1, sizeof(*pieces)) : NULL;
	for (size_t i = 1; pieces && i < nr_points; i++)
		if (points[i - 1] != points[i])
			nr = add_between(t, space, &points[i - 1], pieces, nr);
	free(points);
	if (!pieces)
		return -ENOMEM;
	*ret = pieces;
	*ret_nr = nr;
	return 0;
}
