/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text made in parallel, printed in order: the capture's time is cut into windows, every worker
 * turns a window into text, and windows leave in the order of time.
 *
 *	windows 0 1 2 3 4 5 ...      workers take the next one
 *	          |                  a finished one waits for those before it
 *	          v                  the worker that finishes the first in line writes it,
 *	                             and all finished ones behind it
 *
 * Memory: at most WINDOWS_AHEAD windows for each worker are ahead of the output. A worker takes a
 * window only if its text is likely to fit beside the other texts. The window that is first in line
 * is always taken. If it grows long, its text leaves in parts; a window behind it waits where the
 * texts become too many.
 *
 * Threads: time_windows_run() uses workers_run(). Several threads call the job's functions, each
 * with its own state.
 */
#ifndef TS_READER_ORDER_TIME_WINDOWS_H
#define TS_READER_ORDER_TIME_WINDOWS_H

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/chunks/chunk_table.h"
#include "reader/order/ordered.h"

struct window_line;

struct window_text { /* of the window that a job is making */
	struct ts_bytes bytes;
	struct window_line *line;
	size_t index;	   /* of the window */
	size_t next_bytes; /* when time_windows_pass() looks again */
};

struct time_windows_job {
	void *arg; /* for open() */
	/* Makes a thread's state; NULL with *err. */
	void *(*open)(void *arg, struct ts_error *err);
	/*
	 * Appends the text of a window, and calls time_windows_pass() after each record. 0 or -errno
	 * with *err.
	 */
	int (*format)(void *state, const struct ordered_window *window, struct window_text *text,
		      struct ts_error *err);
	void (*close)(void *state);
};

/*
 * Writes what a job has made so far of a long window, whole lines, or waits for its turn. 0, or
 * -errno with *err, which the job returns: the run has failed.
 */
int time_windows_pass(struct window_text *text, struct ts_error *err);
/*
 * Runs the job over the whole capture and writes to descriptor `fd`. Errors:
 * - -EPIPE: the reader of `fd` went away; no error for a command whose output is cut by head(1);
 * - -EINTR: the progress of the capture was stopped; the output ends with a whole line.
 */
int time_windows_run(const struct chunk_table *table, uint64_t types, unsigned int nr_workers,
		     int fd, const struct time_windows_job *job, struct ts_error *err);

#endif
