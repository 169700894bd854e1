/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples of the paths, by thread and in the order of time: for what shows when something ran.
 *
 *	threads:  pid 7, tid 7	items 0..2	at 10: path 4 | at 20: path 1 | at 30: path 4
 *		  pid 7, tid 9	items 3..3	at 15: path 0
 *
 * Threads: made by one thread, which uses nr_workers; immutable afterwards.
 */
#ifndef TS_READER_PAGE_TIMED_SAMPLES_H
#define TS_READER_PAGE_TIMED_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/min_max.h"
#include "reader/page/stack_paths.h"

struct timed_sample {
	uint64_t time_ns; /* since the first of these samples of its capture */
	uint64_t period;
	uint32_t path;	 /* index into the paths */
	uint32_t thread; /* index into the threads */
	uint16_t cpu;	 /* SAMPLE_LOG_NO_CPU: unknown */
	uint32_t event;	 /* its number in the aggregate */
};

struct timed_thread {
	uint32_t capture; /* 0: the first, 1: the first that was joined to it ... */
	uint32_t pid, tid;
	uint64_t first, nr; /* samples in items[]; at least one */
	uint64_t period;    /* their sum */
	uint32_t nr_merged; /* 0: one thread; else so many of its capture, and pid and tid are 0 */
};

struct timed_samples {
	struct timed_sample *items; /* owned */
	uint64_t nr;
	struct timed_thread
		*threads; /* owned; by capture, pid and tid; then the merged ones, by capture */
	uint32_t nr_threads;
	/*
	 * owned; by capture: the time of its first sample, on its clock; UINT64_MAX: it has none.
	 * Clocks of several captures have nothing in common.
	 */
	uint64_t *starts_ns;
	uint32_t nr_captures;
	uint64_t length_ns; /* the highest time_ns */
};

#define TIMED_SAMPLES_TASK_BITS 22 /* Linux gives no higher numbers: PID_MAX_LIMIT */

/*
 * The number of a task of a capture among those of all captures, for viewers that tell tasks apart by number alone. Numbers
 * that Linux does not give, such as -1 of a task that exits, become the highest one of the capture.
 */
static inline uint64_t timed_samples_task(uint32_t capture, uint32_t task)
{
	const uint32_t most = (1u << TIMED_SAMPLES_TASK_BITS) - 1;

	return ((uint64_t)capture << TIMED_SAMPLES_TASK_BITS) + ts_min(task, most);
}

/*
 * Takes the samples that *a has logged whose event has paths. *paths was made with_places. Samples of
 * one time are in the order of their paths, periods, CPUs and events. If there are more threads than most_threads (at
 * least 2), all but the most_threads - 1 with the most samples become one thread for each of their captures. Returns 0 or -ENOMEM.
 */
int timed_samples_init(struct timed_samples *t, const struct aggregate *a,
		       const struct stack_paths *paths, uint32_t most_threads,
		       unsigned int nr_workers);
void timed_samples_release(struct timed_samples *t); /* accepts a zeroed one; idempotent */

#endif
