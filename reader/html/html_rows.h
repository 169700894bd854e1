/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the page: single samples or, if there are too many, samples counted in steps of time.
 *
 *	samples of a thread, by time		steps of 10 ms
 *	3.1 ms: stack 4, CPU 0			0: stack 4, CPU 0: 2 samples
 *	5.2 ms: stack 7, CPU 0			0: stack 7, CPU 0: 1
 *	5.9 ms: stack 4, CPU 0
 *
 * Rows are in the order of threads, then time. Those of a step are in the order of their first samples.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_HTML_HTML_ROWS_H
#define TS_READER_HTML_HTML_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/page/timed_samples.h"

#define HTML_ROWS_UNIT_NS 1000 /* of times of single samples */

struct html_rows_plan {
	const struct timed_samples *samples;
	const uint32_t *stack_of_path;
	bool has_times;	  /* otherwise all samples are at time 0 */
	uint64_t most;	  /* rows; of the longest step there may be more */
	uint64_t step_ns; /* the shortest step; 0: single samples */
	struct memory *memory;
};

struct html_rows {
	/* Of a step, time_ns is that of the step, period a sum, and path any of its stack. */
	const struct timed_sample *items;
	const uint64_t *counts; /* samples of each row; NULL: single samples */
	uint64_t nr;
	uint64_t step_ns; /* 0: single samples */
	uint64_t unit_ns; /* of times of the page */
	bool has_times;
	const uint32_t *stack_of_path;
	uint64_t *of_thread; /* owned; rows by thread */
	struct timed_sample *own_items;
	uint64_t *own_counts;
};

/*
 * Takes the shortest step of at most so many rows: 1, 2, 5, 10, 20, 50 ms ... The plan's samples must
 * outlive *r. Returns 0 or -ENOMEM.
 */
int html_rows_init(struct html_rows *r, const struct html_rows_plan *plan);
void html_rows_release(struct html_rows *r); /* accepts a zeroed one; idempotent */

/* The step that is longer than this one; UINT64_MAX: none. */
uint64_t html_rows_longer(uint64_t step_ns);
/* All samples are in one step of this length, so that a longer one has no fewer rows. */
bool html_rows_is_longest(const struct timed_samples *samples, bool has_times, uint64_t step_ns);

/* The time of a row in units of the page. */
static inline uint64_t html_rows_time(const struct html_rows *r, uint64_t row)
{
	return r->has_times ? r->items[row].time_ns / r->unit_ns : 0;
}

#endif
