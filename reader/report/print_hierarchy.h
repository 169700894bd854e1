/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the rows of a nested table: the sums, then the keys, further to the right with each depth.
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

struct hierarchy_style { /* style of an event's rows */
	struct column_widths widths;
	struct table_depths depths;
};

void hierarchy_style_find(struct hierarchy_style *s, const struct report *r, uint32_t event);
/* Prints the comments above the rows. */
void print_hierarchy_titles(const struct report *r, uint32_t event, const struct hierarchy_style *s,
			    struct ts_bytes *out);
/* Prints one line. */
void print_hierarchy(const struct report *r, const struct table_row *row,
		     const struct hierarchy_style *s, struct ts_bytes *out);
/* Prints a note if rows are below this row, the index-th of its event, but none is shown. */
void print_hierarchy_end(const struct report *r, const struct table_row *row, size_t index,
			 const struct hierarchy_style *s, struct ts_bytes *out);

#endif
