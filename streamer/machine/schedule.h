/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the thread of a writer is scheduled, and on which CPUs.
 *
 * A writer runs seldom and shortly, but then soon: rings fill while it waits for its CPU. A short
 * slice (Linux 6.12) says just that to the scheduler and needs no privilege. It is not enough for a
 * writer that has run shortly before it wakes, so a better nice value is taken, too, where that is
 * allowed and the recorder's caller has not chosen one; real-time priority only when asked for.
 *
 * There are two levels. What a writer starts to write for it (workers of the kernel, the thread of
 * --io=pwrite) inherits the lower one, so that writing does not keep it from reading its rings
 * (decision 26).
 *
 * Threads: everything here changes the calling thread, and what that creates later.
 */
#ifndef TS_STREAMER_MACHINE_SCHEDULE_H
#define TS_STREAMER_MACHINE_SCHEDULE_H

#include <hwloc.h>
#include <sched.h>
#include <stddef.h>

#include "common/base/error.h"

enum schedule {
	SCHEDULE_PLAIN,		   /* as the caller of the recorder is scheduled */
	SCHEDULE_SHORT_SLICE,	   /* its nice value, slices of 100 us */
	SCHEDULE_NICE,		   /* better nice values, ordinary slices */
	SCHEDULE_SHORT_SLICE_NICE, /* both */
	SCHEDULE_FIFO,		   /* SCHED_FIFO */
};

/*
 * Applies the best of them, at the level of what writes. fifo_priority: 1 .. 99 asks for
 * SCHED_FIFO, and only then a refusal is an error (-EPERM); 0 takes what there is.
 */
int schedule_self(int fifo_priority, enum schedule *ret_how, struct ts_error *err);

/* Goes above what was created since schedule_self() said `how`, where nice values are used. */
void schedule_above_helpers(enum schedule how);

const char *schedule_name(enum schedule how); /* "short slice, nice", "fifo", ... */

/*
 * The bitmap as a CPU set of the system, of any size; CPU_FREE() it. NULL with *ret_bytes 0 for an
 * absent, empty or infinite bitmap (no restriction) and when out of memory (*ret_bytes 1).
 */
cpu_set_t *schedule_cpu_set(hwloc_const_bitmap_t cpus, size_t *ret_bytes);

#endif
