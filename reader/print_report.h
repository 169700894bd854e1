/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as text, laid out as `perf report --stdio` lays it out: a head for each event, a row
 * for each entry, below a row its call graph.
 *
 * Names from the capture pass through text_name(), so no control character reaches the terminal.
 *
 * Threads: rows are made by as many threads as the table was, and given away by the caller's.
 */
#ifndef TS_READER_PRINT_REPORT_H
#define TS_READER_PRINT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/record.h"
#include "common/tasks.h"
#include "reader/print_graph.h"
#include "reader/print_rows.h"
#include "reader/table.h"

struct report_style {
	bool show_samples; /* a column with the number of samples */
	bool show_graphs;  /* call graphs below the rows */
	bool quiet;	   /* rows only */
	struct graph_style graph;
	bool nanoseconds;	       /* of times */
	bool is_one_event;	       /* the table of event 0 is of all of them */
	bool is_hidden[TABLE_NR_KEYS]; /* columns that would say the same in every row */
	const char *times;	       /* what was selected of the time; NULL: all */
};

struct report {
	const struct table *table;
	const struct ts_events *events;
	const struct ts_tasks *tasks;
	struct report_style style;
};

/* "# Total Lost Samples: N" and what stands around it. */
void print_report_top(uint64_t nr_lost, struct ts_bytes *out);

/* Head and rows of one event; nothing for an event without samples. 0, -ENOMEM or the sink's. */
int print_report_event(const struct report *r, uint32_t event, report_sink_fn sink, void *sink_arg);

#endif
