/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a report to the pager of a terminal, or to standard output. Until then the interrupt
 * thread runs.
 *
 *	watch -> read -> flush -> write ... -> unwatch -> end
 *
 * The pager is forked at the first output, after the interrupt thread has ended; until then ^C
 * stops the reading. The interrupt thread goes on only if reading goes on beside the writing and no
 * pager is forked.
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
	/* set by the caller before the first call: */
	struct progress *progress;
	bool draws;	      /* draw the progress of the reading */
	bool goes_on;	      /* reading goes on beside the writing */
	struct ts_bytes text; /* text that the caller has made and not flushed yet */
	/* private: */
	struct interrupt_thread interrupt;
	struct pager pager;
	bool has_begun;
};

/*
 * Call it when reading begins, or begins again. Starts the interrupt thread, unless a pager runs,
 * which takes ^C.
 */
void report_output_watch(struct report_output *o);
void report_output_unwatch(struct report_output *o); /* idempotent */
/* Returns -EINTR with a sentence about the capture at `path` after ^C, else 0. */
int report_output_check(const struct progress *p, const char *path, struct ts_error *err);
/*
 * Writes o->text. Returns 0 or -errno; -EPIPE without a sentence if the reader of the output is
 * gone.
 */
int report_output_flush(struct report_output *o, struct ts_error *err);
/* Writes other text, after a flush; it is a report_sink_fn of print_rows.h. */
int report_output_write(void *output, const struct ts_bytes *text);
/* The descriptor that output goes to. */
int report_output_fd(const struct report_output *o);
/* Waits until the user quits the pager. */
void report_output_end(struct report_output *o);
void report_output_release(struct report_output *o); /* accepts a zeroed one; idempotent */

#endif
