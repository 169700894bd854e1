/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of a report: what stands in each column, how wide the columns are, what they are called.
 *
 * Threads: widths that were found are constant; any number of threads may print rows with them.
 */
#ifndef TS_READER_REPORT_PRINT_COLUMNS_H
#define TS_READER_REPORT_PRINT_COLUMNS_H

#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/report/report.h"

struct column_widths {
	unsigned int of[TABLE_NR_COLUMNS]; /* by column */
};

/* The widths that the rows of an event need, but where the style gives others. */
void column_widths_find(struct column_widths *w, const struct report *r, uint32_t event);
/* The comments above the rows: titles, and dots as wide as the columns. */
void print_column_titles(const struct report *r, uint32_t event, const struct column_widths *w,
			 struct ts_bytes *out);
/* One line. */
void print_columns(const struct report *r, const struct table_entry *e,
		   const struct column_widths *w, struct ts_bytes *out);

#endif
