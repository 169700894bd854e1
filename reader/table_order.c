// SPDX-License-Identifier: Apache-2.0
/*
 * perf compares total, then the depth of callchains - but only within a thread -, then self, then
 * the keys. That is no total order: a before b before c does not put a before c. So entries are
 * first brought into a fixed order without that rule, and what has the same total is then sorted
 * again with it, by an algorithm that gives the same result every time.
 */
#include "reader/table_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Addresses in perf's order: those of the kernel before those of programs. */
static int compare_address(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? -1 : a != b;
}

static int compare_key(const struct table *t, enum table_key key, const struct table_entry *a,
		       const struct table_entry *b)
{
	const struct grouping_base *x = table_base(t, a), *y = table_base(t, b);
	const struct grouping *g = &t->grouping;

	switch (key) {
	case TABLE_COMM:
		return compare_u64(g->comm_rank[x->comm], g->comm_rank[y->comm]);
	case TABLE_PID:
	case TABLE_TID:
		return compare_u64(x->tid, y->tid);
	case TABLE_DSO:
		return compare_u64(g->dso_rank[a->frame], g->dso_rank[b->frame]);
	case TABLE_SYM:
		return compare_u64(g->sym_rank[a->frame], g->sym_rank[b->frame]);
	case TABLE_CPU:
		return compare_u64(x->cpu, y->cpu);
	default:
		return 0;
	}
}

/* Names can be equal where entries are not: then by object and address. */
static int compare_rest(const struct table *t, const struct table_entry *a,
			const struct table_entry *b)
{
	const struct symbol *x = table_frame(t, a)->symbol, *y = table_frame(t, b)->symbol;
	int rc = 0;

	if (!x && !y)
		rc = compare_address(a->addr, b->addr);
	rc = rc ? rc : compare_key(t, TABLE_DSO, a, b);
	if (!rc && x && y) {
		rc = compare_address(x->start, y->start);
		rc = rc ? rc : compare_address(x->end, y->end);
	}
	return rc;
}

static int compare_keys(const struct table *t, const struct table_entry *a,
			const struct table_entry *b)
{
	int rc = compare_u64(b->self_period, a->self_period);

	for (size_t i = 0; !rc && i < t->plan.nr_keys; i++)
		rc = compare_key(t, t->plan.keys[i], a, b);
	return rc ? rc : compare_rest(t, a, b);
}

static int compare_total(const struct table *t, const struct table_entry *a,
			 const struct table_entry *b)
{
	int rc = compare_u64(table_base(t, a)->event, table_base(t, b)->event);

	return rc ? rc : compare_u64(b->total_period, a->total_period);
}

static int compare_fixed(const void *x, const void *y, void *arg)
{
	const struct table_entry *a = *(const struct table_entry *const *)x;
	const struct table_entry *b = *(const struct table_entry *const *)y;
	int rc = compare_total(arg, a, b);

	return rc ? rc : compare_keys(arg, a, b);
}

void table_sort(const struct table *t, const struct table_entry **list, size_t nr)
{
	if (nr)
		qsort_r(list, nr, sizeof(*list), compare_fixed, (void *)(uintptr_t)t);
}

/* --- perf's rule --- */

static bool is_before(const struct table *t, const struct table_entry *a,
		      const struct table_entry *b)
{
	if (a->max_depth != b->max_depth && a->first_tid == b->first_tid &&
	    a->first_pid == b->first_pid)
		return (a->max_depth > b->max_depth) == t->plan.caller_first;
	return compare_keys(t, a, b) < 0;
}

/* A merge sort from the bottom; list and scratch have nr entries. */
static void sort_equals(const struct table *t, const struct table_entry **list,
			const struct table_entry **scratch, size_t nr)
{
	for (size_t width = 1; width < nr; width *= 2) {
		for (size_t from = 0; from < nr; from += 2 * width) {
			size_t mid = from + width < nr ? from + width : nr;
			size_t end = from + 2 * width < nr ? from + 2 * width : nr;
			size_t a = from, b = mid;

			for (size_t i = from; i < end; i++) {
				bool take_b =
					a == mid || (b < end && is_before(t, list[b], list[a]));

				scratch[i] = list[take_b ? b++ : a++];
			}
		}
		memcpy(list, scratch, nr * sizeof(*list));
	}
}

static int apply_depth(const struct table *t, const struct table_entry **list, size_t nr)
{
	const struct table_entry **scratch = malloc((nr + 1) * sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	for (size_t from = 0, end; from < nr; from = end) {
		for (end = from + 1; end < nr && !compare_total(t, list[from], list[end]); end++)
			;
		sort_equals(t, list + from, scratch, end - from);
	}
	free(scratch);
	return 0;
}

/* --- merging --- */

int table_merge(const struct table *t, const struct table_entry **const *lists, const size_t *nrs,
		unsigned int nr_lists, const struct table_entry **out)
{
	size_t *next = calloc(nr_lists + 1, sizeof(*next)), nr = 0;

	if (!next)
		return -ENOMEM;
	for (;;) {
		unsigned int first = nr_lists;

		for (unsigned int i = 0; i < nr_lists; i++)
			if (next[i] < nrs[i] &&
			    (first == nr_lists ||
			     compare_fixed(&lists[i][next[i]], &lists[first][next[first]],
					   (void *)(uintptr_t)t) < 0))
				first = i;
		if (first == nr_lists)
			break;
		out[nr++] = lists[first][next[first]++];
	}
	free(next);
	return t->plan.children && t->plan.with_chains ? apply_depth(t, out, nr) : 0;
}
