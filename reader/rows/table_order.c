// SPDX-License-Identifier: Apache-2.0
/*
 * perf compares total, then the depth of callchains (only within a thread), then self, then the
 * keys. That is no total order: a before b and b before c does not imply a before c. Therefore
 * entries are first brought into a fixed order without the rule of the depth. Then entries of equal
 * total are sorted again with it, by an algorithm that gives the same result every time.
 */
#include "reader/rows/table_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FEW (64u << 10)

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Addresses in perf's order: those of the kernel before those of programs. */
static int compare_address(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? -1 : a != b;
}

/* The rank of an entry by one key. */
static uint32_t rank_of(const struct table *t, enum table_key key, const struct table_entry *e)
{
	const struct grouping_base *base = table_base(t, e);
	const struct grouping *g = &t->grouping;

	switch (key) {
	case TABLE_COMM:
		return g->comm_rank[base->comm];
	case TABLE_PID:
	case TABLE_TID:
		return base->tid;
	case TABLE_DSO:
		return g->dso_rank[e->frame];
	case TABLE_SYM:
		return g->sym_rank[e->frame];
	case TABLE_SRCLINE:
	case TABLE_SRCFILE:
		return g->line_rank[e->frame];
	case TABLE_PARENT:
		return base->parent;
	default:
		return g->tag_ranks[(key - TABLE_TAG) * t->aggregate->tags.nr + base->tag];
	}
}

/* Bits that hold every rank of a key. */
static unsigned int bits_of(const struct table *t, enum table_key key)
{
	const struct grouping *g = &t->grouping;
	uint32_t most = 0;

	switch (key) {
	case TABLE_COMM:
		most = g->nr_comm_ranks;
		break;
	case TABLE_DSO:
		most = g->nr_dso_ranks;
		break;
	case TABLE_SYM:
		most = g->nr_sym_ranks;
		break;
	case TABLE_SRCLINE:
	case TABLE_SRCFILE:
		most = g->nr_line_ranks;
		break;
	case TABLE_PARENT:
		most = g->parents.nr;
		break;
	case TABLE_PID:
	case TABLE_TID:
		for (uint32_t i = 0; i < g->nr_bases; i++)
			most = g->bases[i].tid > most ? g->bases[i].tid : most;
		break;
	default:
		most = t->aggregate->tags.nr;
		break;
	}
	return most ? 32 - (unsigned int)__builtin_clz(most) : 0;
}

void table_plan_order(struct table *t)
{
	unsigned int bits = 0;

	for (size_t i = 0; i < t->plan.nr_keys; i++) {
		t->key_bits[i] = (uint8_t)bits_of(t, t->plan.keys[i]);
		bits += t->key_bits[i];
	}
	t->is_packed = bits <= 64;
}

struct table_row table_row(const struct table *t, const struct table_entry *e)
{
	struct table_row row = {.total_period = e->sums.total_period,
				.self_period = e->sums.self_period,
				.addr = e->addr,
				.event = table_base(t, e)->event,
				.has_symbol = table_frame(t, e)->symbol,
				.entry = e};

	for (size_t i = 0; t->is_packed && i < t->plan.nr_keys; i++)
		row.keys = row.keys << t->key_bits[i] | rank_of(t, t->plan.keys[i], e);
	return row;
}

/* Different entries can have equal names: these are ordered by object and address. */
static int compare_rest(const struct table *t, const struct table_entry *a,
			const struct table_entry *b)
{
	const struct symbol *x = table_frame(t, a)->symbol, *y = table_frame(t, b)->symbol;
	int rc = 0;

	if (!x && !y)
		rc = compare_address(a->addr, b->addr);
	rc = rc ? rc : compare_u64(rank_of(t, TABLE_DSO, a), rank_of(t, TABLE_DSO, b));
	if (!rc && x && y) {
		rc = compare_address(x->start, y->start);
		rc = rc ? rc : compare_address(x->end, y->end);
	}
	return rc;
}

/*
 * Compares by a sum, the largest first. As in perf, groups are compared by the sum of the member to
 * sort by, then by the sums of the members from the second on. They are compared only by the sum of
 * the first member if that member does not exist, or if the column counts callers.
 */
static int compare_sums(const struct table *t, enum table_key column, const struct table_entry *a,
			const struct table_entry *b)
{
	const uint32_t nr = event_group_of(t->plan.groups, table_base(t, a)->event).nr;
	const bool is_by_first = column == TABLE_CHILDREN || t->plan.sort_member >= nr;
	const uint32_t first = is_by_first ? 0 : t->plan.sort_member;
	int rc = compare_u64(table_sum(b, column, first), table_sum(a, column, first));

	if (is_by_first)
		return rc;
	for (uint32_t i = 1; !rc && i < nr; i++)
		rc = compare_u64(table_sum(b, column, i), table_sum(a, column, i));
	return rc;
}

static int compare_keys(const struct table *t, const struct table_row *a, const struct table_row *b)
{
	int rc = t->plan.groups ? compare_sums(t, TABLE_OVERHEAD, a->entry, b->entry)
				: compare_u64(b->self_period, a->self_period);

	if (!rc && t->is_packed)
		rc = compare_u64(a->keys, b->keys);
	for (size_t i = 0; !rc && !t->is_packed && i < t->plan.nr_keys; i++)
		rc = compare_u64(rank_of(t, t->plan.keys[i], a->entry),
				 rank_of(t, t->plan.keys[i], b->entry));
	if (!rc && !a->has_symbol && !b->has_symbol)
		rc = compare_address(a->addr, b->addr);
	return rc ? rc : compare_rest(t, a->entry, b->entry);
}

static int compare_total(const struct table *t, const struct table_row *a,
			 const struct table_row *b)
{
	int rc = compare_u64(a->event, b->event);

	if (rc)
		return rc;
	return t->plan.groups && !t->plan.children
		       ? compare_sums(t, TABLE_OVERHEAD, a->entry, b->entry)
		       : compare_u64(b->total_period, a->total_period);
}

/* Compares by the columns of the plan: sums descending, keys ascending. */
static int compare_columns(const struct table *t, const struct table_entry *a,
			   const struct table_entry *b)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->plan.nr_order; i++) {
		enum table_key column = t->plan.order[i];

		if (column < TABLE_NR_KEYS)
			rc = compare_u64(rank_of(t, column, a), rank_of(t, column, b));
		else if (column != TABLE_CHILDREN || t->plan.children)
			rc = compare_sums(t, column, a, b);
	}
	return rc ? rc : compare_rest(t, a, b);
}

int table_compare(const struct table *t, const struct table_row *a, const struct table_row *b)
{
	int rc;

	if (t->plan.nr_order) {
		rc = compare_u64(a->event, b->event);
		return rc ? rc : compare_columns(t, a->entry, b->entry);
	}
	rc = compare_total(t, a, b);
	return rc ? rc : compare_keys(t, a, b);
}

/* Functions of one name are told apart by object and address, as in grouping.c. */
int table_compare_key(const struct table *t, enum table_key key, const struct table_entry *a,
		      const struct table_entry *b)
{
	int rc = compare_u64(rank_of(t, key, a), rank_of(t, key, b));

	if (rc || key != TABLE_SYM)
		return rc;
	return table_frame(t, a)->symbol ? compare_rest(t, a, b)
					 : compare_address(a->addr, b->addr);
}

static int compare_fixed(const void *a, const void *b, void *arg)
{
	return table_compare(arg, a, b);
}

/* Must b, which stands behind a now, stand before a? */
typedef bool (*precedes_fn)(const struct table *t, const struct table_row *b,
			    const struct table_row *a);

/* A bottom-up merge sort; rows and scratch have nr items. */
static void merge_sort(const struct table *t, struct table_row *rows, struct table_row *scratch,
		       size_t nr, precedes_fn precedes)
{
	for (size_t width = 1; width < nr; width *= 2) {
		for (size_t from = 0; from < nr; from += 2 * width) {
			size_t mid = from + width < nr ? from + width : nr;
			size_t end = from + 2 * width < nr ? from + 2 * width : nr;
			size_t a = from, b = mid;

			for (size_t i = from; i < end; i++) {
				bool take_b =
					a == mid || (b < end && precedes(t, &rows[b], &rows[a]));

				scratch[i] = rows[take_b ? b++ : a++];
			}
		}
		memcpy(rows, scratch, nr * sizeof(*rows));
	}
}

static bool precedes_fixed(const struct table *t, const struct table_row *b,
			   const struct table_row *a)
{
	return compare_fixed(b, a, (void *)(uintptr_t)t) < 0;
}

/*
 * qsort_r() allocates memory of its own for all rows, so many rows are sorted in a block of
 * `memory`.
 */
void table_sort(const struct table *t, struct table_row *rows, size_t nr)
{
	struct table_row *scratch = NULL;

	if (nr > ROWS_FEW)
		scratch = memory_resize(t->aggregate->memory, NULL, nr, sizeof(*scratch));
	if (scratch)
		merge_sort(t, rows, scratch, nr, precedes_fixed);
	else if (nr)
		qsort_r(rows, nr, sizeof(*rows), compare_fixed, (void *)(uintptr_t)t);
	memory_free(scratch);
}

/* --- perf's rule --- */

static bool is_before(const struct table *t, const struct table_row *x, const struct table_row *y)
{
	const struct table_entry *a = x->entry, *b = y->entry;

	if (a->max_depth != b->max_depth && a->first_tid == b->first_tid &&
	    a->first_pid == b->first_pid)
		return (a->max_depth > b->max_depth) == t->plan.caller_first;
	return compare_keys(t, x, y) < 0;
}

static int apply_depth(const struct table *t, struct table_row *rows, size_t nr)
{
	struct table_row *scratch =
		memory_resize(t->aggregate->memory, NULL, nr + 1, sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	for (size_t from = 0, end; from < nr; from = end) {
		for (end = from + 1; end < nr && !compare_total(t, &rows[from], &rows[end]); end++)
			;
		merge_sort(t, rows + from, scratch, end - from, is_before);
	}
	memory_free(scratch);
	return 0;
}

/* --- merging --- */

int table_merge(const struct table *t, struct table_row *const *lists, const size_t *nrs,
		unsigned int nr_lists, struct table_row *out)
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
	return t->plan.children && t->plan.with_chains && !t->plan.nr_order
		       ? apply_depth(t, out, nr)
		       : 0;
}
