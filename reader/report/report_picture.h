/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of a report: report --svg. The file is opened before samples are read, and drawn from
 * the stacks of one event.
 *
 *	report_picture_open()    the file: a wrong name is told at once
 *	report_picture_choose()  after counting: the event
 *	report_picture_draw()    the file, complete
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_REPORT_REPORT_PICTURE_H
#define TS_READER_REPORT_REPORT_PICTURE_H

#include "reader/commands/result_file.h"
#include "reader/page/stack_tree.h"
#include "reader/report/report_head.h"
#include "reader/report/report_run.h"

struct report_picture {
	struct result_file file;
	const char *event;
	uint32_t nr_others; /* further events with samples */
	struct frame_looks looks;
	struct stack_paths paths;
	struct stack_tree tree;
	bool is_drawn;
};

#define REPORT_PICTURE_NONE                                                                        \
	{                                                                                          \
		.file = RESULT_FILE_NONE                                                           \
	}

/* *r is open. Errors are those of result_file_open(). The caller releases *p in any case. */
int report_picture_open(struct report_picture *p, const struct report_run *r, struct ts_error *err);
/* Chooses the event and lists its stacks, once *r has its stacks. -EINVAL: no such event. */
int report_picture_choose(struct report_picture *p, const struct report_run *r,
			  struct ts_error *err);
/* Draws and publishes it. -EPIPE without a sentence: the reader of standard output went away. */
int report_picture_draw(struct report_picture *p, const struct report_run *r,
			const struct report_head *head, struct ts_error *err);
void report_picture_release(struct report_picture *p); /* idempotent */

/* Has the event samples, on any side of a comparison? */
static inline bool report_picture_has_samples(const struct report_picture *p)
{
	return p->paths.nr;
}

#endif
