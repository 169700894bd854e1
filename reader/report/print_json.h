/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the report as a JSON document (docs/report.schema.json): first the captures, then a table
 * for each event. Each row is on a line, with its call graph as a tree.
 *
 * Rows are written as they are made, so the document is never held as a whole.
 *
 * Threads: as print_report.h.
 */
#ifndef TS_READER_REPORT_PRINT_JSON_H
#define TS_READER_REPORT_PRINT_JSON_H

#include "reader/report/print_rows.h"
#include "reader/report/report.h"
#include "reader/report/report_head.h"
#include "reader/runtime/json_text.h"
#include "reader/trust/overview.h"

#define JSON_REPORT_MAJOR 1
#define JSON_REPORT_MINOR 4

struct json_report {
	const struct report *report;
	const struct report_head *head;
	const struct selection_text *selection;
};

/* Returns 0, -ENOMEM or the result of the sink. */
int print_json(const struct json_report *r, report_sink_fn sink, void *sink_arg);

/* Prints the overview of a capture (print_json_capture.c) as a member; key NULL: in an array. */
void print_json_capture(struct json *j, const char *key, const struct overview *o);
/*
 * Prints the member "calls", the call graph of an entry (print_json_graph.c). Returns 0 or -ENOMEM.
 */
int print_json_graph(struct json *j, struct callgraph *g, const struct table_entry *entry,
		     const struct callgraph_style *style);

#endif
