/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as a JSON document (docs/report.schema.json): the captures, then for each event a table,
 * a row on each line, with its call graph as a tree.
 *
 * Rows leave as they are made, so the document is never held as a whole.
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
#define JSON_REPORT_MINOR 3

struct json_report {
	const struct report *report;
	const struct report_head *head;
	const struct selection_text *selection;
};

/* 0, -ENOMEM or what the sink returned. */
int print_json(const struct json_report *r, report_sink_fn sink, void *sink_arg);

/* What a capture is worth (print_json_capture.c): a member with a key; NULL in an array. */
void print_json_capture(struct json *j, const char *key, const struct overview *o);
/* The member "calls": the call graph of an entry (print_json_graph.c). 0 or -ENOMEM. */
int print_json_graph(struct json *j, struct callgraph *g, const struct table_entry *entry,
		     const struct callgraph_style *style);

#endif
