/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of samples with times, with their names: the one with the most samples first, because
 * there are often thousands.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_NAMED_THREADS_H
#define TS_READER_PAGE_NAMED_THREADS_H

#include <stdint.h>

#include "reader/page/timed_samples.h"
#include "reader/runtime/name_table.h"
#include "reader/trust/overview.h"

struct named_thread {
	const struct timed_thread *samples;
	/* its last command before its number was another's, or ":TID"; of merged ones "1234 other threads" */
	const char *name;
	const char *process; /* the last command of its main thread; the same of merged ones */
	const char *host;    /* overview.name of its capture; NULL: there is one */
};

struct named_threads {
	struct named_thread *items; /* owned */
	uint32_t nr;
	struct name_table names; /* those that no capture has */
};

/*
 * captures: by timed_thread.capture, samples->nr_captures of them, with their tasks. They and the
 * samples must outlive *t. Returns 0 or -ENOMEM.
 */
int named_threads_init(struct named_threads *t, const struct overview *captures,
		       const struct timed_samples *samples);
void named_threads_release(struct named_threads *t); /* accepts a zeroed one; idempotent */

#endif
