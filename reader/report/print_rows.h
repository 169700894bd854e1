/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the rows of one event's table into text on several threads, in blocks that are written in
 * order.
 *
 * Threads: starts as many threads as the table was built with; the sink runs in the caller's
 * thread.
 */
#ifndef TS_READER_REPORT_PRINT_ROWS_H
#define TS_READER_REPORT_PRINT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/rows/callgraph.h"
#include "reader/rows/table.h"

/*
 * Takes a piece of text. A nonzero result ends the printing and is returned. For a failed text it
 * returns -ENOMEM.
 */
typedef int (*report_sink_fn)(void *arg, const struct ts_bytes *text);

/*
 * Appends the text of a row, the `index`-th of its event. All threads share arg; *g is the thread's
 * own. Returns 0 or -ENOMEM.
 */
typedef int (*report_row_fn)(const void *arg, struct callgraph *g, const struct table_row *row,
			     size_t index, struct ts_bytes *out);

/* Returns 0, -ENOMEM or the result of the sink. */
int print_rows(const struct table *t, uint32_t event, report_row_fn put_row, const void *arg,
	       report_sink_fn sink, void *sink_arg);

#endif
