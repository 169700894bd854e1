/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracks of a Chrome trace: samples that follow each other in time, of a thread or of a CPU.
 *
 *	by thread:  sh 7    | at 10 on CPU 0 | at 20 on CPU 1		by CPU:  CPU 0  | at 10 sh 7 | at 15 cat 9
 *		    cat 9   | at 15 on CPU 0				 	 CPU 1  | at 20 sh 7
 *
 * Threads: one owner; immutable once made.
 */
#ifndef TS_READER_EXPORT_CHROME_LANES_H
#define TS_READER_EXPORT_CHROME_LANES_H

#include "reader/export/export_source.h"

struct chrome_lane {
	uint64_t pid, tid; /* of the trace: timed_samples_task(), of CPUs their number */
	uint32_t capture;
	uint32_t cpu;			   /* SAMPLE_LOG_NO_CPU: unknown */
	const struct named_thread *thread; /* NULL: a CPU */
	const struct timed_sample *items;  /* of the thread; of a CPU those of all: */
	const uint64_t *order;		   /* its samples are items of these numbers */
	uint64_t nr;			   /* samples; at least one */
};

struct chrome_lanes {
	struct chrome_lane
		*items; /* owned; threads: the largest first; CPUs: by capture and number */
	uint32_t nr;
	uint64_t *order; /* owned; of CPUs */
	const struct named_thread *
		*of_thread; /* owned; of CPUs: threads by number of timed_samples */
};

/* The source must outlive *l. Returns 0 or -ENOMEM; release in both cases. */
int chrome_lanes_init(struct chrome_lanes *l, const struct export_source *source);
void chrome_lanes_release(struct chrome_lanes *l); /* accepts a zeroed one; idempotent */

static inline const struct timed_sample *chrome_lane_sample(const struct chrome_lane *lane,
							    uint64_t number)
{
	return &lane->items[lane->order ? lane->order[number] : number];
}

#endif
