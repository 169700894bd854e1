/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report that is ready to be printed: its rows, the names that they need, and its style.
 *
 * report_run_report() of report_run.h makes it; print_report.h prints it as text, print_json.h as
 * JSON.
 *
 * Threads: any number of threads may print it; meanwhile it is constant.
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
	bool has_self;	       /* the column of self stands beside that of children */
	const char *separator; /* between columns, in place of blanks; NULL: columns are aligned */
	unsigned int widths[REPORT_WIDTHS_MAX]; /* of the first nr_widths columns; 0: as needed */
	size_t nr_widths;
};

struct report_style {
	struct report_columns columns;
	double min_percent; /* smaller rows are not shown */
	bool show_graphs;   /* call graphs below the rows */
	bool quiet;	    /* rows only */
	struct graph_style graph;
	bool nanoseconds;	       /* times are printed in nanoseconds */
	bool is_one_event;	       /* the table of event 0 has all events */
	bool is_hidden[TABLE_NR_KEYS]; /* columns that would be the same in every row */
	const char *times;	       /* the selected times; NULL: all */
};

struct joined_captures;

struct report {
	const struct table *table;
	const struct ts_events *events;
	const struct tasks *tasks;
	const struct joined_captures *join; /* further captures; NULL: none */
	struct report_style style;
};

/* The name of the capture of an entry by thread; NULL: the report has one capture. */
const char *report_host(const struct report *r, const struct table_entry *e);
/* The tasks of that capture. */
const struct tasks *report_tasks(const struct report *r, const struct table_entry *e);
/* Has the entry a row? Entries below --percent-limit have none. */
bool report_shows(const struct report *r, const struct table_entry *e);

#endif
