/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cell of a report: what a row says in a column, and what the column is called.
 *
 * Threads: as report.h.
 */
#ifndef TS_READER_REPORT_PRINT_CELL_H
#define TS_READER_REPORT_PRINT_CELL_H

#include "common/base/bytes.h"
#include "reader/report/report.h"
#include "reader/runtime/name_table.h"

#define CELL_ADDRESS_DIGITS 16

/* Is it a sum of the row? Else a key. */
static inline bool cell_is_sum(enum table_key column)
{
	return column >= TABLE_CHILDREN;
}

/* Of one sum; in the table of a group as many stand side by side as it has members. */
static inline unsigned int cell_sum_width(enum table_key column)
{
	return column == TABLE_SAMPLES || column == TABLE_PERIOD ? 12 : 8;
}

/* Has the table of an event this column? */
bool cell_is_there(const struct report *r, uint32_t event, enum table_key column);
/* The column of the tags that a column is; NULL: it is another one. */
const struct sample_tag_column *cell_tag(const struct report *r, enum table_key column);
const char *cell_title(const struct report *r, enum table_key column);
/* The last name of a row's thread, as perf prints it beside its number. */
const char *cell_thread_comm(const struct report *r, const struct table_entry *e,
			     char buf[UNNAMED_MAX]);

/* Sums and fields of tracepoints stand on the right; with a separator nothing is padded. */
void print_cell_title(const struct report *r, enum table_key column, unsigned int width,
		      struct ts_bytes *out);
/* is_last: names need not be padded. */
void print_cell(const struct report *r, const struct table_entry *e, enum table_key column,
		unsigned int width, bool is_last, struct ts_bytes *out);

#endif
