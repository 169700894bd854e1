/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of an export that shows time, with their names: the one with the most samples first,
 * because there are often thousands.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_EXPORT_EXPORT_THREADS_H
#define TS_READER_EXPORT_EXPORT_THREADS_H

#include <stdint.h>

#include "reader/page/timed_samples.h"
#include "reader/report/report_run.h"

struct export_thread {
	const struct timed_thread *samples;
	const char *
		name; /* its last command before its number was another's, or ":TID"; of merged ones "1234 other threads" */
	const char *process; /* the last command of its main thread; the same of merged ones */
	const char *host;    /* NULL: there is one capture */
};

struct export_threads {
	struct export_thread *items; /* owned */
	uint32_t nr;
	struct name_table names; /* those that no capture has */
};

/* The reading and the samples must outlive *t. Returns 0 or -ENOMEM. */
int export_threads_init(struct export_threads *t, const struct report_run *r,
			const struct timed_samples *samples);
void export_threads_release(struct export_threads *t); /* accepts a zeroed one; idempotent */

#endif
