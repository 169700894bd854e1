/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as text, laid out as `perf report --stdio` lays it out: a head for each event, a row
 * for each entry, below a row its call graph.
 *
 * Names from the capture pass through text_name(), so no control character reaches the terminal.
 *
 * Threads: rows are made by as many threads as the table was, and given away by the caller's.
 */
#ifndef TS_READER_REPORT_PRINT_REPORT_H
#define TS_READER_REPORT_PRINT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"
#include "reader/report/print_graph.h"
#include "reader/report/print_rows.h"
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

struct join;

struct report {
	const struct table *table;
	const struct ts_events *events;
	const struct ts_tasks *tasks;
	const struct join *join; /* captures beside that of the tasks; NULL: none */
	struct report_style style;
};

/* What the capture is called that an entry by thread is of; NULL: the report is of one. */
const char *report_host(const struct report *r, const struct table_entry *e);
/* The tasks of that capture. */
const struct ts_tasks *report_tasks(const struct report *r, const struct table_entry *e);
/* What is too small for --percent-limit has no row. */
bool report_shows(const struct report *r, const struct table_entry *e);

/* "# Total Lost Samples: N" and what stands around it. */
void print_report_top(uint64_t nr_lost, struct ts_bytes *out);

/*
 * Head and rows of one event, or of the group that it is the first of; nothing where there are no
 * samples, or for the others of a group. 0, -ENOMEM or the sink's.
 */
int print_report_event(const struct report *r, uint32_t event, report_sink_fn sink, void *sink_arg);

#endif
