/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a table nested by the levels of its keys: --hierarchy.
 *
 *	comm,{dso,cpu},sym	comm			a branch: the sum of the rows below it
 *				   dso  cpu		a branch
 *				      sym		an entry
 *
 * A branch is printed like an entry: the keys of its depth, and its sums. Its keys come from the
 * earliest sample below it.
 *
 * Threads: one thread; the result is the table's and immutable.
 */
#ifndef TS_READER_ROWS_HIERARCHY_H
#define TS_READER_ROWS_HIERARCHY_H

#include "reader/rows/table.h"

/*
 * Adds branches to a table whose rows are sorted and known by event, and puts the rows into the
 * order of their branches. Returns 0 or -ENOMEM.
 */
int hierarchy_rows(struct table *t);

#endif
