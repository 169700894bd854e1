/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report that is ready to be printed: its rows, the names that they need, and how it is to look.
 *
 * report_run_report() of report_run.h makes one; it is printed as text (print_report.h) or as JSON
 * (print_json.h).
 *
 * Threads: constant while it is printed, by any number of threads.
 */
#ifndef TS_READER_REPORT_REPORT_H
#define TS_READER_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/perf/record.h"
#include "reader/report/print_graph.h"
#include "reader/rows/table.h"
#include "reader/tasks/tasks.h"

#define REPORT_WIDTHS_MAX 64

struct report_columns {
	enum table_key items[TABLE_NR_COLUMNS];
	size_t nr;
	bool has_self;	       /* what is the row's own stands beside what its callees have */
	const char *separator; /* between them, in place of blanks; NULL: columns are aligned */
	unsigned int widths[REPORT_WIDTHS_MAX]; /* of the first nr_widths; 0: what they need */
	size_t nr_widths;
};

struct report_style {
	struct report_columns columns;
	double min_percent; /* rows of less are not shown */
	bool show_graphs;   /* call graphs below the rows */
	bool quiet;	    /* rows only */
	struct graph_style graph;
	bool nanoseconds;	       /* of times */
	bool is_one_event;	       /* the table of event 0 is of all of them */
	bool is_hidden[TABLE_NR_KEYS]; /* columns that would say the same in every row */
	const char *times;	       /* what was selected of the time; NULL: all */
};

struct joined_captures;

struct report {
	const struct table *table;
	const struct ts_events *events;
	const struct ts_tasks *tasks;
	const struct joined_captures *join; /* captures beside that of the tasks; NULL: none */
	struct report_style style;
};

/* What the capture is called that an entry by thread is of; NULL: the report is of one. */
const char *report_host(const struct report *r, const struct table_entry *e);
/* The tasks of that capture. */
const struct ts_tasks *report_tasks(const struct report *r, const struct table_entry *e);
/* What is too small for --percent-limit has no row. */
bool report_shows(const struct report *r, const struct table_entry *e);

#endif
