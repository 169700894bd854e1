/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a nested table: the sums, then, further to the right with each depth, the keys of it.
 *
 *	#    Overhead  Command / Shared Object
 *	# ...........  .......................
 *	#
 *	    75.00%     sh
 *	       50.00%     libc.so.6
 *
 * Threads: as print_columns.h.
 */
#ifndef TS_READER_REPORT_PRINT_HIERARCHY_H
#define TS_READER_REPORT_PRINT_HIERARCHY_H

#include "common/base/bytes.h"
#include "reader/report/print_columns.h"

struct nested_style { /* of an event's rows */
	struct column_widths widths;
	struct table_depths depths;
};

void nested_style_find(struct nested_style *s, const struct report *r, uint32_t event);
/* The comments above the rows. */
void print_hierarchy_titles(const struct report *r, uint32_t event, const struct nested_style *s,
			    struct ts_bytes *out);
/* One line. */
void print_hierarchy(const struct report *r, const struct table_row *row,
		     const struct nested_style *s, struct ts_bytes *out);
/* A line that says so where rows are below this one, the index-th of its event, but none is shown. */
void print_hierarchy_end(const struct report *r, const struct table_row *row, size_t index,
			 const struct nested_style *s, struct ts_bytes *out);

#endif
