/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a report: report --html. The file is opened before samples are read; the page holds the
 * samples of all events or, with --event, of one.
 *
 *	report_page_open()   the file: a wrong name is told at once
 *	report_page_list()   after counting: stacks and samples
 *	report_page_write()  the file, complete
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_REPORT_REPORT_PAGE_H
#define TS_READER_REPORT_REPORT_PAGE_H

#include "reader/commands/result_file.h"
#include "reader/html/html_page.h"
#include "reader/report/report_head.h"
#include "reader/report/report_run.h"

struct report_page {
	struct result_file file;
	uint32_t event; /* of the still graph */
	struct frame_looks looks;
	struct stack_paths paths;
	struct timed_samples samples;
	struct named_threads threads;
	struct timed_gaps gaps;
	struct html_summary summary;
	bool is_written;
};

#define REPORT_PAGE_NONE                                                                           \
	{                                                                                          \
		.file = RESULT_FILE_NONE                                                           \
	}

/* *r is open. Errors are those of result_file_open(). The caller releases *p in any case. */
int report_page_open(struct report_page *p, const struct report_run *r, struct ts_error *err);
/* Lists the samples, once *r has its stacks. -EINVAL: no such event; -EINTR: it was stopped. */
int report_page_list(struct report_page *p, const struct report_run *r, struct ts_error *err);
/* Writes and publishes it. -EPIPE without a sentence: the reader of standard output went away. */
int report_page_write(struct report_page *p, const struct report_run *r,
		      const struct report_head *head, struct ts_error *err);
void report_page_release(struct report_page *p); /* idempotent */

static inline bool report_page_has_samples(const struct report_page *p)
{
	return p->samples.nr;
}

#endif
