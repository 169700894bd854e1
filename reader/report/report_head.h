/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a report: the selection, the losses, and the overview of each capture. Printed as
 * comments, or as objects of the JSON document.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_REPORT_REPORT_HEAD_H
#define TS_READER_REPORT_REPORT_HEAD_H

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/chunks/selection.h"
#include "reader/report/report_run.h"
#include "reader/trust/overview.h"

struct report_head {
	struct overview *items; /* owned; by capture, in the order of the command line */
	size_t nr;
};

/*
 * The captures of a reading that has its stacks or its table, with all damage that was found. *h is
 * zeroed, and the reading must outlive it. Returns 0 or -ENOMEM; close it in both cases.
 */
int report_head_open(struct report_head *h, struct report_run *r, struct ts_error *err);
/*
 * is_whole: all samples were counted, so their number is printed. Returns 0, or -ENOMEM because it
 * reads losses.
 */
int report_head_print(const struct report_head *h, const struct selection *selection, bool is_whole,
		      struct ts_bytes *out, struct ts_error *err);
/* Appends the command line that recorded the first capture, or its path. */
void report_head_title(const struct report_head *h, struct ts_bytes *out);
void report_head_close(struct report_head *h); /* accepts a zeroed one; idempotent */

#endif
