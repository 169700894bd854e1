/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the entries of a table into perf's order.
 *
 * Threads: table_sort() on disjoint lists may run at the same time; the rest is for one thread.
 */
#ifndef TS_READER_ROWS_TABLE_ORDER_H
#define TS_READER_ROWS_TABLE_ORDER_H

#include "reader/rows/table.h"

/* Sets t->is_packed: can the ranks of the plan's keys be packed into 64 bits? */
void table_plan_order(struct table *t);
/* Makes a row with the values that decide the place of an entry. */
struct table_row table_row(const struct table *t, const struct table_entry *entry);
/* A total order: by event, total, self and keys, or by the columns that the plan names. */
int table_compare(const struct table *t, const struct table_row *a, const struct table_row *b);
/* A total order of entries by one key; 0: equal. */
int table_compare_key(const struct table *t, enum table_key key, const struct table_entry *a,
		      const struct table_entry *b);
/* Sorts rows by table_compare(). The result is the same for any number of workers. */
void table_sort(const struct table *t, struct table_row *rows, size_t nr);
/*
 * Merges sorted lists into out, whose length is the sum of theirs. Among equal totals it applies
 * perf's rule about the depth of callchains. Returns 0 or -ENOMEM.
 */
int table_merge(const struct table *t, struct table_row *const *lists, const size_t *nrs,
		unsigned int nr_lists, struct table_row *out);

#endif
