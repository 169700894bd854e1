/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of the samples of the paths, out of the runs of the logs: which there are, and which of them are
 * merged because there are too many.
 *
 * Threads: made by one thread; then any may find.
 */
#ifndef TS_READER_PAGE_TIMED_THREADS_H
#define TS_READER_PAGE_TIMED_THREADS_H

#include <stdbool.h>

#include "reader/page/timed_samples.h"

/* The path of a logged sample; STACK_PATHS_NONE: its event has none, as all samples of its run. */
static inline uint32_t timed_threads_path(const struct stack_paths *paths,
					  const struct sample_log *log,
					  const struct logged_sample *s)
{
	const struct stack_place place = sample_log_place(log, s);

	return stack_paths_find(paths, place.part, place.stack);
}

/*
 * Sets the threads of *t with capture, pid, tid, nr and nr_merged. *ret_nr_alone: those before the merged ones.
 * 0 or -ENOMEM.
 */
int timed_threads_list(struct timed_samples *t, const struct aggregate *a,
		       const struct stack_paths *paths, uint32_t most_threads,
		       uint32_t *ret_nr_alone);
/* The thread that has these samples, or NULL. */
struct timed_thread *timed_threads_find(const struct timed_samples *t, uint32_t nr_alone,
					uint32_t capture, const struct logged_sample *s);

#endif
