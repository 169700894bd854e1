/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a table comes about: stacks become entries, entries rows in their order.
 *
 * The entries are divided among workers by a hash of what tells them apart. Every worker walks all
 * stacks and cares for its own entries only, so nothing is shared and nothing is merged but the
 * order at the end.
 *
 * Threads: table_build() uses several itself.
 */
#ifndef TS_READER_ROWS_TABLE_BUILD_H
#define TS_READER_ROWS_TABLE_BUILD_H

#include <stddef.h>

#include "common/base/error.h"
#include "reader/rows/table.h"

/*
 * The rows of nr_events events out of the merged stacks of *a, which outlives the table, as does what
 * the plan points to. -ENOMEM.
 */
int table_build(struct table *t, const struct aggregate *a, size_t nr_events,
		const struct table_plan *plan, struct ts_error *err);
void table_release(struct table *t); /* accepts a zeroed one; idempotent */

#endif
