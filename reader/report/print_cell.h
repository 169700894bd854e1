/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cell of a report: the text of a row in a column, and the title of the column.
 *
 * Threads: as report.h.
 */
#ifndef TS_READER_REPORT_PRINT_CELL_H
#define TS_READER_REPORT_PRINT_CELL_H

#include "common/base/bytes.h"
#include "reader/report/report.h"
#include "reader/runtime/name_table.h"

#define CELL_ADDRESS_DIGITS 16

/* Is the column a sum of the row? Otherwise it is a key. */
static inline bool print_cell_is_sum(enum table_key column)
{
	return column >= TABLE_CHILDREN;
}

/* The width of one sum. In the table of a group the sums of all members stand side by side. */
static inline unsigned int print_cell_sum_width(enum table_key column)
{
	return column == TABLE_SAMPLES || column == TABLE_PERIOD ? 12 : 8;
}

/* Does the table of an event have this column? */
bool print_cell_is_there(const struct report *r, uint32_t event, enum table_key column);
/* The tag column behind a column; NULL: it is no tag column. */
const struct sample_tag_column *print_cell_tag(const struct report *r, enum table_key column);
const char *print_cell_name(const struct report *r, enum table_key column);
/* The last name of a row's thread, which perf prints beside its tid. */
const char *print_cell_thread_comm(const struct report *r, const struct table_entry *e,
				   char buf[UNNAMED_MAX]);

/* Sums and fields of tracepoints are right-aligned; with a separator nothing is padded. */
void print_cell_title(const struct report *r, enum table_key column, unsigned int width,
		      struct ts_bytes *out);
/* is_last: names need not be padded. */
void print_cell(const struct report *r, const struct table_entry *e, enum table_key column,
		unsigned int width, bool is_last, struct ts_bytes *out);

#endif
