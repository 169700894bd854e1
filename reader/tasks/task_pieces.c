// SPDX-License-Identifier: Apache-2.0
/*
 * Between two neighbouring starts or ends of maps, one map holds all addresses, or none does.
 * Neighbouring intervals of the same map make up one piece.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reader/tasks/task_table.h"

static int compare_points(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct points {
	uint64_t *items; /* starts and ends of maps, sorted */
	size_t nr;
};

/* Adds the first maps of a space. 0, -ENOMEM, or -E2BIG: *room has not so many. */
static int add_points(struct points *p, const struct address_space *s, uint32_t limit,
		      uint64_t *room)
{
	uint64_t *more;

	if (limit > *room)
		return -E2BIG;
	*room -= limit;
	more = reallocarray(p->items, p->nr + 2 * (size_t)limit + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->items = more;
	for (uint32_t i = 0; i < limit; i++) {
		p->items[p->nr++] = s->maps[i].start;
		p->items[p->nr++] = s->maps[i].end;
	}
	return 0;
}

/* Of all maps that a space has at the end. */
static int find_points(struct points *p, const struct tasks *t, uint32_t space, uint64_t *room)
{
	uint32_t limit = t->spaces[space].maps.nr;
	int rc = 0;

	for (; !rc && space != TASK_NO_SPACE; space = t->spaces[space].parent) {
		rc = add_points(p, &t->spaces[space].maps, limit, room);
		limit = t->spaces[space].parent_limit;
	}
	return rc;
}

/* Adds the interval between two points: to the last piece, as a new piece, or not at all. */
static size_t add_between(const struct tasks *t, uint32_t space, bool is_own,
			  const uint64_t points[2], struct task_piece *pieces, size_t nr)
{
	uint32_t holder = space;
	const struct task_map *map =
		task_table_find_map(t, &holder, t->spaces[space].maps.nr, points[0], NULL);

	if (!map || (is_own && holder != space))
		return nr;
	if (nr && pieces[nr - 1].map == map && pieces[nr - 1].end == points[0]) {
		pieces[nr - 1].end = points[1];
		return nr;
	}
	pieces[nr] = (struct task_piece){points[0], points[1], map, t->spaces[holder].pid};
	return nr + 1;
}

static int make_pieces(const struct tasks *t, uint32_t space, bool is_own, struct points *p,
		       struct task_piece **ret, size_t *ret_nr)
{
	struct task_piece *pieces = calloc(p->nr + 1, sizeof(*pieces));
	size_t nr = 0;

	if (!pieces)
		return -ENOMEM;
	qsort(p->items, p->nr, sizeof(*p->items), compare_points);
	for (size_t i = 1; i < p->nr; i++)
		if (p->items[i - 1] != p->items[i])
			nr = add_between(t, space, is_own, &p->items[i - 1], pieces, nr);
	*ret = pieces;
	*ret_nr = nr;
	return 0;
}

int tasks_pieces(const struct tasks *t, uint32_t pid, uint64_t *room, struct task_piece **ret,
		 size_t *ret_nr)
{
	uint32_t space = task_table_space(t, pid);
	struct points points = {0};
	int rc;

	*ret = NULL;
	*ret_nr = 0;
	if (space == TASK_NO_SPACE)
		return 0;
	rc = find_points(&points, t, space, room);
	if (!rc)
		rc = make_pieces(t, space, false, &points, ret, ret_nr);
	free(points.items);
	return rc;
}

int tasks_own_pieces(const struct tasks *t, uint32_t pid, uint32_t *ret_parent,
		     struct task_piece **ret, size_t *ret_nr)
{
	uint32_t space = task_table_space(t, pid), parent;
	struct points points = {0};
	uint64_t room = UINT64_MAX;
	int rc;

	*ret_parent = TASK_PID_KERNEL;
	*ret = NULL;
	*ret_nr = 0;
	if (space == TASK_NO_SPACE)
		return 0;
	parent = t->spaces[space].parent;
	if (parent != TASK_NO_SPACE)
		*ret_parent = t->spaces[parent].pid;
	rc = add_points(&points, &t->spaces[space].maps, t->spaces[space].maps.nr, &room);
	if (!rc)
		rc = make_pieces(t, space, true, &points, ret, ret_nr);
	free(points.items);
	return rc;
}

uint64_t tasks_nr_maps(const struct tasks *t)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < t->nr_spaces; i++)
		nr += t->spaces[i].maps.nr;
	return nr;
}
