/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of a report: its cells, the widths of the columns, their titles.
 *
 * Threads: found widths are constant; any number of threads may print rows with them.
 */
#ifndef TS_READER_REPORT_PRINT_COLUMNS_H
#define TS_READER_REPORT_PRINT_COLUMNS_H

#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/report/report.h"

struct column_widths {
	unsigned int of[TABLE_NR_COLUMNS]; /* by column */
};

/* Finds the widths that the rows of an event need, unless the style gives others. */
void column_widths_find(struct column_widths *w, const struct report *r, uint32_t event);
/* Prints the comments above the rows: titles, and dots as wide as the columns. */
void print_column_titles(const struct report *r, uint32_t event, const struct column_widths *w,
			 struct ts_bytes *out);
/* Prints one line. */
void print_columns(const struct report *r, const struct table_entry *e,
		   const struct column_widths *w, struct ts_bytes *out);

#endif
