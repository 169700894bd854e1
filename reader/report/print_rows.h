/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of one event's table turned into text by several threads, in blocks that leave in order.
 *
 * Threads: makes its own, as many as the table was built with; the sink runs in the caller's.
 */
#ifndef TS_READER_REPORT_PRINT_ROWS_H
#define TS_READER_REPORT_PRINT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/rows/callgraph.h"
#include "reader/rows/table.h"

/* Takes a piece of text; nonzero ends the printing and is returned. A failed text gives -ENOMEM. */
typedef int (*report_sink_fn)(void *arg, const struct ts_bytes *text);

/*
 * Appends the text of a row, the `index`-th of its event. arg is shared by all threads, *g is the
 * thread's own. 0 or -ENOMEM.
 */
typedef int (*report_row_fn)(const void *arg, struct callgraph *g, const struct table_row *row,
			     size_t index, struct ts_bytes *out);

/* 0, -ENOMEM or what the sink returned. */
int print_rows(const struct table *t, uint32_t event, report_row_fn put_row, const void *arg,
	       report_sink_fn sink, void *sink_arg);

#endif
