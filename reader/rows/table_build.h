/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a table: stacks become entries, entries become rows in their order.
 *
 * Entries are divided among workers by a hash of their keys. Every worker walks all stacks and
 * handles only its own entries. So nothing is shared, and only the order is merged at the end.
 *
 * Threads: table_build() uses several itself.
 */
#ifndef TS_READER_ROWS_TABLE_BUILD_H
#define TS_READER_ROWS_TABLE_BUILD_H

#include <stddef.h>

#include "common/base/error.h"
#include "reader/rows/table.h"

/*
 * Builds the rows of nr_events events from the merged stacks of *a. *a and all that the plan points
 * to must outlive the table. Returns 0 or -ENOMEM.
 */
int table_build(struct table *t, const struct aggregate *a, size_t nr_events,
		const struct table_plan *plan, struct ts_error *err);
void table_release(struct table *t); /* accepts a zeroed one; idempotent */

#endif
