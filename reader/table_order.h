/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a table's entries, which is perf's.
 *
 * Threads: table_sort() on disjoint lists may run at the same time; the rest is for one thread.
 */
#ifndef TS_READER_TABLE_ORDER_H
#define TS_READER_TABLE_ORDER_H

#include "reader/table.h"

/* Sorts a list by event, total, self and keys: a total order, the same for any number of workers.
 */
void table_sort(const struct table *t, const struct table_entry **list, size_t nr);
/*
 * Merges sorted lists into out (of the sum of their lengths) and applies perf's rule about the
 * depth of callchains among equal totals. 0 or -ENOMEM.
 */
int table_merge(const struct table *t, const struct table_entry **const *lists, const size_t *nrs,
		unsigned int nr_lists, const struct table_entry **out);

#endif
