/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the report as text in the layout of `perf report --stdio`: a head for each event, a row
 * for each entry, below a row its call graph.
 *
 * Names from the capture pass through text_name(), so no control character reaches the terminal.
 *
 * Threads: as many threads as built the table make rows; the caller's thread calls the sink.
 */
#ifndef TS_READER_REPORT_PRINT_REPORT_H
#define TS_READER_REPORT_PRINT_REPORT_H

#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/report/print_rows.h"
#include "reader/report/report.h"

/* Prints "# Total Lost Samples: N" and the lines around it. */
void print_report_top(uint64_t nr_lost, struct ts_bytes *out);

/*
 * Prints head and rows of one event, or of the group whose first event it is. Prints nothing for
 * the other events of a group, or if there are no samples. Returns 0, -ENOMEM or the result of the
 * sink.
 */
int print_report_event(const struct report *r, uint32_t event, report_sink_fn sink, void *sink_arg);

#endif
