/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a report goes: the pager of a terminal, or standard output; and the vigil that stands until
 * then.
 *
 *	watch -> read -> flush -> write ... -> unwatch -> end
 *
 * The pager is forked with the first output, when the vigil's thread is gone: up to there ^C was for
 * us. Only where reading goes on beside the writing, and no pager is forked, the vigil stands on.
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_REPORT_REPORT_OUTPUT_H
#define TS_READER_REPORT_REPORT_OUTPUT_H

#include <stdbool.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/commands/interrupt_thread.h"
#include "reader/commands/pager.h"

struct report_output { /* zero-initialise */
	/* the caller's, before the first call: */
	struct progress *progress;
	bool draws;	      /* it is shown how far reading is */
	bool goes_on;	      /* reading goes on beside the writing */
	struct ts_bytes text; /* what the caller made and did not flush yet */
	/* private: */
	struct interrupt_thread vigil;
	struct pager pager;
	bool has_begun;
};

/* Reading begins, or begins again: a vigil stands, unless there is a pager, which ^C is for. */
void report_output_watch(struct report_output *o);
void report_output_unwatch(struct report_output *o); /* idempotent */
/* After ^C: -EINTR, and a sentence on the capture that was to be looked through; else 0. */
int report_output_check(const struct progress *p, const char *path, struct ts_error *err);
/* Writes the text that was made. -EPIPE, without a sentence: nobody reads any more. */
int report_output_flush(struct report_output *o, struct ts_error *err);
/* Writes what others made, after a flush: a report_sink_fn of print_rows.h. */
int report_output_write(void *output, const struct ts_bytes *text);
/* Where that goes. */
int report_output_fd(const struct report_output *o);
/* Waits until the user has left the pager. */
void report_output_end(struct report_output *o);
void report_output_release(struct report_output *o); /* accepts a zeroed one; idempotent */

#endif
