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

#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/report/print_rows.h"
#include "reader/report/report.h"

/* "# Total Lost Samples: N" and what stands around it. */
void print_report_top(uint64_t nr_lost, struct ts_bytes *out);

/*
 * Head and rows of one event, or of the group that it is the first of; nothing where there are no
 * samples, or for the others of a group. 0, -ENOMEM or the sink's.
 */
int print_report_event(const struct report *r, uint32_t event, report_sink_fn sink, void *sink_arg);

#endif
