// SPDX-License-Identifier: Apache-2.0
/*
 * First the entries of an event are sorted by their keys, depth by depth. Entries with equal keys
 * down to a depth then stand together, and each such run is a branch. Then entries are sorted by
 * sums: two entries are compared by their branches below the last branch that they share.
 *
 *	a  x  1       a -+- x -+- 1
 *	a  x  2          |     '- 2
 *	a  y  1          '- y --- 1
 *	b  x  1       b --- x --- 1
 */
#include "reader/rows/hierarchy.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/sum.h"
#include "reader/rows/table_order.h"

#define NO_BRANCH      UINT32_MAX
#define BRANCHES_FIRST 256

struct nest_branch {
	struct table_entry entry;
	struct table_row row;
	uint32_t above; /* NO_BRANCH: none */
};

struct nesting {
	const struct table *table;
	uint32_t *order; /* of the rows of the table; those of one event stay together */
	uint32_t *above; /* by row: its branch */
	struct nest_branch *branches;
	struct table_sums *members; /* nr_others per branch */
	size_t nr_others;	    /* members of the largest group of events, without the first */
	uint32_t nr_branches, cap_branches;
	/* keys of the current event, the outermost first */
	enum table_key keys[TABLE_NR_KEYS];
	size_t nr_keys;
	struct table_depths depths;
};

static void look_at(struct nesting *n, uint32_t event)
{
	const struct table_plan *plan = &n->table->plan;

	table_depths_find(&n->depths, n->table, event);
	n->nr_keys = 0;
	for (uint8_t depth = 0; depth < n->depths.nr; depth++)
		for (size_t i = 0; i < plan->nr_keys; i++)
			if (table_has_key(n->table, event, plan->keys[i]) &&
			    n->depths.of[plan->keys[i]] == depth)
				n->keys[n->nr_keys++] = plan->keys[i];
}

/* --- branches --- */

/*
 * Compares two rows by their keys. *ret_depth is the first depth at which they differ, or the depth
 * of entries if all keys are equal.
 */
static int compare_keys(const struct nesting *n, uint32_t a, uint32_t b, uint8_t *ret_depth)
{
	const struct table_row *rows = n->table->order;
	int rc = 0;

	*ret_depth = (uint8_t)(n->depths.nr - 1);
	for (size_t i = 0; !rc && i < n->nr_keys; i++) {
		rc = table_compare_key(n->table, n->keys[i], rows[a].entry, rows[b].entry);
		if (rc)
			*ret_depth = n->depths.of[n->keys[i]];
	}
	return rc;
}

static int by_keys(const void *x, const void *y, void *arg)
{
	uint8_t depth;

	return compare_keys(arg, *(const uint32_t *)x, *(const uint32_t *)y, &depth);
}

static int grow_rows(struct nesting *n)
{
	uint32_t cap = n->cap_branches ? 2 * n->cap_branches : BRANCHES_FIRST;
	struct memory *memory = n->table->aggregate->memory;
	struct nest_branch *branches;
	struct table_sums *members;

	if (n->nr_branches < n->cap_branches)
		return 0;
	branches = memory_resize(memory, n->branches, cap, sizeof(*branches));
	if (!branches)
		return -ENOMEM;
	n->branches = branches;
	if (n->nr_others) {
		members = memory_resize(memory, n->members, cap * n->nr_others, sizeof(*members));
		if (!members)
			return -ENOMEM;
		n->members = members;
	}
	n->cap_branches = cap;
	return 0;
}

/* Adds a branch with the keys of the entry and with sums of 0. */
static int add_branch(struct nesting *n, uint32_t above, const struct table_entry *e)
{
	if (grow_rows(n))
		return -ENOMEM;
	for (size_t i = 0; i < n->nr_others; i++)
		n->members[n->nr_branches * n->nr_others + i] = (struct table_sums){0};
	n->branches[n->nr_branches++] = (struct nest_branch){
		.above = above,
		.entry = {.base = e->base,
			  .group = e->group,
			  .frame = e->frame,
			  .first_pid = e->first_pid,
			  .first_tid = e->first_tid,
			  .first_ns = e->first_ns,
			  .addr = e->addr},
	};
	return 0;
}

static void add_sums(struct table_sums *to, const struct table_sums *more)
{
	to->self_period = ts_sum(to->self_period, more->self_period);
	to->self_samples += more->self_samples;
	to->total_period = ts_sum(to->total_period, more->total_period);
	for (size_t i = 0; i < TABLE_NR_MODES; i++)
		to->mode_period[i] = ts_sum(to->mode_period[i], more->mode_period[i]);
}

static void add_entry(struct nesting *n, uint32_t number, const struct table_entry *e)
{
	struct table_entry *branch = &n->branches[number].entry;

	add_sums(&branch->sums, &e->sums);
	for (size_t i = 0; i < n->nr_others; i++)
		add_sums(&n->members[number * n->nr_others + i], &e->members[i]);
	if (e->first_ns > branch->first_ns ||
	    (e->first_ns == branch->first_ns && e->first_tid >= branch->first_tid))
		return;
	branch->base = e->base;
	branch->group = e->group;
	branch->frame = e->frame;
	branch->first_pid = e->first_pid;
	branch->first_tid = e->first_tid;
	branch->first_ns = e->first_ns;
	branch->addr = e->addr;
}

/* order: the part of n->order that has the rows of the event, by keys. */
static int add_branches(struct nesting *n, const uint32_t *order, size_t nr)
{
	uint8_t nr_above = (uint8_t)(n->depths.nr - 1), depth = 0;
	uint32_t open[TABLE_NR_KEYS];

	for (size_t i = 0; i < nr; i++) {
		const struct table_entry *e = n->table->order[order[i]].entry;

		if (i)
			compare_keys(n, order[i - 1], order[i], &depth);
		for (; depth < nr_above; depth++) {
			if (add_branch(n, depth ? open[depth - 1] : NO_BRANCH, e))
				return -ENOMEM;
			open[depth] = n->nr_branches - 1;
		}
		for (uint8_t d = 0; d < nr_above; d++)
			add_entry(n, open[d], e);
		n->above[order[i]] = nr_above ? open[nr_above - 1] : NO_BRANCH;
	}
	return 0;
}

static int make_branches(struct nesting *n)
{
	const struct table *t = n->table;
	int rc = 0;

	for (uint32_t i = 0; i < t->nr; i++)
		n->order[i] = i;
	for (uint32_t i = 0; !rc && i < t->nr_events; i++) {
		const struct table_event *e = &t->events[i];

		look_at(n, i);
		if (e->nr)
			qsort_r(n->order + e->first, e->nr, sizeof(*n->order), by_keys, n);
		rc = add_branches(n, n->order + e->first, e->nr);
	}
	for (uint32_t i = 0; i < n->nr_branches; i++) {
		struct nest_branch *b = &n->branches[i];

		b->entry.members = n->members ? n->members + i * n->nr_others : NULL;
		b->row = table_row(t, &b->entry);
	}
	return rc;
}

/* --- order --- */

/* Compares two rows of one event, which are equally deep, by their first different branches. */
static int by_branches(const void *x, const void *y, void *arg)
{
	const struct nesting *n = arg;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct table_row *a = &n->table->order[i], *b = &n->table->order[k];
	uint32_t above_a = n->above[i], above_b = n->above[k];
	int rc;

	while (above_a != above_b) {
		i = above_a;
		k = above_b;
		a = &n->branches[i].row;
		b = &n->branches[k].row;
		above_a = n->branches[i].above;
		above_b = n->branches[k].above;
	}
	rc = table_compare(n->table, a, b);
	return rc ? rc : (i > k) - (i < k);
}

/* Appends rows for the branches above an entry that have no row yet. */
static void open_branches(const struct nesting *n, uint32_t above, uint32_t open[TABLE_NR_KEYS],
			  struct table_row *rows, size_t *nr_rows)
{
	uint32_t way[TABLE_NR_KEYS];
	uint8_t depth = (uint8_t)(n->depths.nr - 1);

	for (; above != NO_BRANCH; above = n->branches[above].above)
		way[--depth] = above;
	for (depth = 0; depth + 1 < n->depths.nr; depth++) {
		if (open[depth] == way[depth])
			continue;
		open[depth] = way[depth];
		rows[*nr_rows] = n->branches[way[depth]].row;
		rows[(*nr_rows)++].depth = depth;
	}
}

/* Appends the rows of the current event; returns their number. */
static size_t lay_out(const struct nesting *n, const uint32_t *order, size_t nr,
		      struct table_row *rows)
{
	uint32_t open[TABLE_NR_KEYS];
	size_t nr_rows = 0;

	for (size_t i = 0; i < TABLE_NR_KEYS; i++)
		open[i] = NO_BRANCH;
	for (size_t i = 0; i < nr; i++) {
		open_branches(n, n->above[order[i]], open, rows, &nr_rows);
		rows[nr_rows] = n->table->order[order[i]];
		rows[nr_rows++].depth = n->depths.nr - 1u;
	}
	return nr_rows;
}

static void lay_out_events(struct nesting *n, struct table *t, struct table_row *rows)
{
	size_t at = 0;

	for (uint32_t i = 0; i < t->nr_events; i++) {
		struct table_event *e = &t->events[i];
		uint32_t *order = n->order + e->first;

		look_at(n, i);
		if (e->nr)
			qsort_r(order, e->nr, sizeof(*order), by_branches, n);
		e->nr = lay_out(n, order, e->nr, rows + at);
		e->first = at;
		at += e->nr;
	}
	memory_free(t->order);
	t->order = rows;
	t->nr = at;
	t->branches = n->branches;
	t->branch_members = n->members;
}

int hierarchy_rows(struct table *t)
{
	struct memory *memory = t->aggregate->memory;
	struct nesting n = {.table = t,
			    .nr_others = t->plan.groups ? t->plan.groups->nr_most - 1 : 0};
	struct table_row *rows = NULL;

	n.order = memory_resize(memory, NULL, t->nr + 1, sizeof(*n.order));
	n.above = memory_resize(memory, NULL, t->nr + 1, sizeof(*n.above));
	if (n.order && n.above && !make_branches(&n))
		rows = memory_resize(memory, NULL, t->nr + n.nr_branches + 1, sizeof(*rows));
	if (rows) {
		lay_out_events(&n, t, rows);
	} else {
		memory_free(n.branches);
		memory_free(n.members);
	}
	memory_free(n.order);
	memory_free(n.above);
	return rows ? 0 : -ENOMEM;
}
