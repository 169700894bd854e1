// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/fork_index.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"
#include "reader/tasks/task_table.h"

/* A space in the forest: one that is deep, or from which such a one descends. */
struct tree_space {
	bool is_there;
	uint32_t nr_maps;    /* so many of its maps were there at one of its forks */
	uint64_t nr_below;   /* positions of it and of all below */
	uint32_t first_fork; /* in forks */
	uint32_t nr_forks;
};

struct fork {
	uint32_t parent, limit, child;
};

struct forest {
	struct memory *memory;
	struct task_space *spaces;
	struct tree_space *items; /* by space */
	uint32_t nr;
	struct fork *forks; /* by parent, then by time */
	uint32_t nr_forks;
	uint64_t nr_maps;
};

static void release_forest(struct forest *f)
{
	memory_free(f->items);
	memory_free(f->forks);
}

/* Parents are older than their children, so stand before them. */
static void find_members(struct forest *f)
{
	for (uint32_t i = f->nr; i-- > 0;) {
		const struct task_space *space = &f->spaces[i];
		struct tree_space *parent;

		f->items[i].is_there |= space->depth > FORK_DEPTH_MAX;
		if (!f->items[i].is_there)
			continue;
		f->nr_maps += f->items[i].nr_maps;
		if (space->parent == TASK_NO_SPACE)
			continue;
		parent = &f->items[space->parent];
		parent->is_there = true;
		parent->nr_maps = ts_max(parent->nr_maps, space->parent_limit);
		f->nr_forks++;
	}
}

static int compare_forks(const void *a, const void *b)
{
	const struct fork *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->limit != y->limit)
		return x->limit < y->limit ? -1 : 1;
	return x->child < y->child ? -1 : 1;
}

static int sort_forks(struct forest *f)
{
	uint32_t nr = 0;

	f->forks = memory_new(f->memory, (size_t)f->nr_forks + 1, sizeof(*f->forks));
	if (!f->forks)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->nr; i++)
		if (f->items[i].is_there && f->spaces[i].parent != TASK_NO_SPACE)
			f->forks[nr++] =
				(struct fork){f->spaces[i].parent, f->spaces[i].parent_limit, i};
	qsort(f->forks, nr, sizeof(*f->forks), compare_forks);
	for (uint32_t i = nr; i-- > 0;) {
		f->items[f->forks[i].parent].first_fork = i;
		f->items[f->forks[i].parent].nr_forks++;
	}
	return 0;
}

/* Returns the number of all positions. */
static uint64_t count_below(struct forest *f)
{
	uint64_t all = 0;

	for (uint32_t i = f->nr; i-- > 0;) {
		struct tree_space *item = &f->items[i];

		if (!item->is_there)
			continue;
		item->nr_below += 1 + (uint64_t)item->nr_maps;
		if (f->spaces[i].parent == TASK_NO_SPACE)
			all += item->nr_below;
		else
			f->items[f->spaces[i].parent].nr_below += item->nr_below;
	}
	return all;
}

/* Gives the maps and the children of a space their positions; it has one. */
static void place_members(const struct forest *f, uint32_t space, struct fork_map *at)
{
	const struct tree_space *item = &f->items[space];
	const uint32_t begin = f->spaces[space].position;
	const uint32_t end = begin + (uint32_t)item->nr_below;
	uint32_t position = begin + 1, map = 0;

	for (uint32_t i = 0; i < item->nr_forks; i++) {
		const struct fork *fork = &f->forks[item->first_fork + i];

		for (; map < fork->limit; map++, position++)
			at[position] = (struct fork_map){space, map, position, end};
		f->spaces[fork->child].position = position;
		position += (uint32_t)f->items[fork->child].nr_below;
	}
}

/* Fills f->maps: first by position, then without the positions of spaces. */
static void place_all(struct fork_index *f, const struct forest *forest, uint32_t nr_positions)
{
	uint32_t position = 0;

	for (uint32_t i = 0; i < nr_positions; i++)
		f->maps[i].space = TASK_NO_SPACE;
	for (uint32_t i = 0; i < forest->nr; i++) {
		if (!forest->items[i].is_there)
			continue;
		if (forest->spaces[i].parent == TASK_NO_SPACE) {
			forest->spaces[i].position = position;
			position += (uint32_t)forest->items[i].nr_below;
		}
		place_members(forest, i, f->maps);
	}
	for (uint32_t i = 0; i < nr_positions; i++)
		if (f->maps[i].space != TASK_NO_SPACE)
			f->maps[f->nr_maps++] = f->maps[i];
}

static int place_maps(struct fork_index *f, struct forest *forest)
{
	uint64_t nr;

	if (sort_forks(forest))
		return -ENOMEM;
	nr = count_below(forest);
	f->maps = nr > INT32_MAX ? NULL : memory_new(forest->memory, nr, sizeof(*f->maps));
	if (!f->maps)
		return -ENOMEM;
	place_all(f, forest, (uint32_t)nr);
	return 0;
}

/* --- what changes where --- */

/* The maps of a node that are there at the position which the walk has reached, one in the other. */
struct walk {
	const struct fork_index *index;
	struct fork_found *there; /* the newest of the first 1, 2, ... of them */
	uint32_t nr_there;
	struct fork_change *last; /* before the first: NULL */
	struct fork_change *next;
};

static void note_change(struct walk *w, uint32_t position)
{
	const struct fork_found none = {FORK_INDEX_NONE, FORK_INDEX_NONE};
	const struct fork_found now = w->nr_there ? w->there[w->nr_there - 1] : none;

	if (!w->last || w->last->position != position)
		w->last = w->next++;
	*w->last = (struct fork_change){position, now.newest, now.before};
}

static void end_maps(struct walk *w, uint32_t position)
{
	while (w->nr_there) {
		const struct fork_map *map = &w->index->maps[w->there[w->nr_there - 1].newest];

		if (map->end > position)
			return;
		w->nr_there--;
		note_change(w, map->end);
	}
}

static void begin_map(struct walk *w, const struct task_space *spaces, uint32_t number)
{
	const struct fork_map *map = &w->index->maps[number];
	const bool is_memory = spaces[map->space].maps.maps[map->map].is_memory;
	uint32_t before = number;

	if (is_memory)
		before = w->nr_there ? w->there[w->nr_there - 1].before : FORK_INDEX_NONE;
	w->there[w->nr_there++] = (struct fork_found){number, before};
	note_change(w, map->begin);
}

static void walk_node(struct fork_index *f, const struct task_space *spaces, size_t node,
		      struct fork_found *there)
{
	const uint32_t begin = f->tree.nodes[node], end = f->tree.nodes[node + 1];
	struct walk w = {.index = f, .there = there, .next = &f->changes[2 * (size_t)begin]};

	for (uint32_t i = begin; i < end; i++) {
		end_maps(&w, f->maps[f->tree.covers[i]].begin);
		begin_map(&w, spaces, f->tree.covers[i]);
	}
	end_maps(&w, UINT32_MAX);
	while (w.next < &f->changes[2 * (size_t)end])
		*w.next++ = (struct fork_change){.position = UINT32_MAX};
}

static int make_changes(struct fork_index *f, struct memory *memory,
			const struct task_space *spaces)
{
	const size_t nr_nodes = 2 * (size_t)f->tree.nr_leaves;
	struct fork_found *there = memory_new(memory, f->nr_maps, sizeof(*there));

	f->changes = memory_new(memory, 2 * (size_t)f->tree.nodes[nr_nodes], sizeof(*f->changes));
	for (size_t node = 0; there && f->changes && node < nr_nodes; node++)
		walk_node(f, spaces, node, there);
	memory_free(there);
	return there && f->changes ? 0 : -ENOMEM;
}

static int make_tree(struct fork_index *f, struct memory *memory, const struct task_space *spaces)
{
	struct task_range *ranges = memory_new(memory, f->nr_maps, sizeof(*ranges));
	int rc;

	if (!ranges)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->nr_maps; i++) {
		const struct fork_map *map = &f->maps[i];
		const struct task_map *range = &spaces[map->space].maps.maps[map->map];

		ranges[i] = (struct task_range){range->start, range->end};
	}
	rc = range_tree_make(&f->tree, memory, ranges, f->nr_maps);
	memory_free(ranges);
	return rc;
}

int fork_index_make(struct fork_index *f, struct memory *memory, struct task_space *spaces,
		    uint32_t nr_spaces)
{
	struct forest forest = {.memory = memory, .spaces = spaces, .nr = nr_spaces};
	int rc = 0;

	*f = (struct fork_index){0};
	forest.items = memory_new(memory, nr_spaces, sizeof(*forest.items));
	if (!forest.items)
		return -ENOMEM;
	find_members(&forest);
	if (forest.nr_maps)
		rc = place_maps(f, &forest) || make_tree(f, memory, spaces) ||
		     make_changes(f, memory, spaces);
	release_forest(&forest);
	if (rc)
		fork_index_release(f);
	return rc ? -ENOMEM : 0;
}

void fork_index_release(struct fork_index *f)
{
	memory_free(f->maps);
	range_tree_release(&f->tree);
	memory_free(f->changes);
	*f = (struct fork_index){0};
}

/* --- lookup --- */

/* The newest maps of a node at a position. */
static struct fork_found found_in(const struct fork_index *f, size_t node, uint32_t position)
{
	const size_t begin = 2 * (size_t)f->tree.nodes[node];
	size_t low = begin, high = 2 * (size_t)f->tree.nodes[node + 1];

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->changes[mid].position <= position)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == begin)
		return (struct fork_found){FORK_INDEX_NONE, FORK_INDEX_NONE};
	return (struct fork_found){f->changes[low - 1].newest, f->changes[low - 1].before};
}

/* Of two maps that are there at the same position, the newer one has the greater number. */
static uint32_t newer(uint32_t a, uint32_t b)
{
	if (a == FORK_INDEX_NONE || b == FORK_INDEX_NONE)
		return ts_min(a, b);
	return ts_max(a, b);
}

struct fork_found fork_index_find(const struct fork_index *f, uint32_t position, uint64_t addr,
				  struct task_range *around)
{
	struct fork_found best = {FORK_INDEX_NONE, FORK_INDEX_NONE};

	for (size_t node = range_tree_leaf(&f->tree, addr); node; node /= 2) {
		const struct fork_found found = found_in(f, node, position);

		best.newest = newer(best.newest, found.newest);
		best.before = newer(best.before, found.before);
	}
	if (around)
		range_tree_narrow(&f->tree, addr, around);
	return best;
}
