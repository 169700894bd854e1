/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a table's entries, which is perf's.
 *
 * Threads: table_sort() on disjoint lists may run at the same time; the rest is for one thread.
 */
#ifndef TS_READER_ROWS_TABLE_ORDER_H
#define TS_READER_ROWS_TABLE_ORDER_H

#include "reader/rows/table.h"

/* Can the ranks of the plan's keys be packed into 64 bits? Sets t->is_packed. */
void table_plan_order(struct table *t);
/* What decides about the place of an entry. */
struct table_row table_row(const struct table *t, const struct table_entry *entry);
/* A total order: by event, total, self and keys, or by the columns that the plan names. */
int table_compare(const struct table *t, const struct table_row *a, const struct table_row *b);
/* A total order of what entries say of a key; 0: the same. */
int table_compare_key(const struct table *t, enum table_key key, const struct table_entry *a,
		      const struct table_entry *b);
/* Sorts rows by table_compare(): the same for any number of workers. */
void table_sort(const struct table *t, struct table_row *rows, size_t nr);
/*
 * Merges sorted lists into out (of the sum of their lengths) and applies perf's rule about the
 * depth of callchains among equal totals. 0 or -ENOMEM.
 */
int table_merge(const struct table *t, struct table_row *const *lists, const size_t *nrs,
		unsigned int nr_lists, struct table_row *out);

#endif
