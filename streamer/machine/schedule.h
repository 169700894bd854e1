/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduling of a writer's thread, and its CPUs.
 *
 * A writer runs rarely and briefly, but must run soon: rings fill while it waits for its CPU. A
 * short slice (Linux 6.12) tells just that to the scheduler and needs no privilege. The slice is
 * not enough for a writer that ran shortly before it wakes. So the writer also gets a better nice
 * value, if that is allowed and the recorder's caller has not chosen one. It gets real-time
 * priority only on request.
 *
 * There are two levels. The threads that write for a writer (workers of the kernel, the thread of
 * --io=pwrite) inherit the lower level. So writing does not keep the writer from reading its rings
 * (decision 26).
 *
 * Threads: all functions change the calling thread, and the threads that it creates later.
 */
#ifndef TS_STREAMER_MACHINE_SCHEDULE_H
#define TS_STREAMER_MACHINE_SCHEDULE_H

#include <hwloc.h>
#include <sched.h>
#include <stddef.h>

#include "common/base/error.h"

enum schedule {
	SCHEDULE_PLAIN,		   /* as the caller of the recorder is scheduled */
	SCHEDULE_SHORT_SLICE,	   /* the caller's nice value, slices of 100 us */
	SCHEDULE_NICE,		   /* better nice values, ordinary slices */
	SCHEDULE_SHORT_SLICE_NICE, /* both */
	SCHEDULE_FIFO,		   /* SCHED_FIFO */
};

/*
 * Applies the best kind that is allowed, at the level of the helpers. fifo_priority: 1 .. 99 asks
 * for SCHED_FIFO, and only then a refusal is an error (-EPERM). 0 takes any kind.
 */
int schedule_self(int fifo_priority, enum schedule *ret_how, struct ts_error *err);

/*
 * Raises the calling thread above the helpers that it has created since schedule_self(), if `how`
 * uses nice values.
 */
void schedule_above_helpers(enum schedule how);

const char *schedule_name(enum schedule how); /* "short slice, nice", "fifo", ... */

/*
 * Returns the bitmap as a CPU set of the system, of any size, which the caller frees with
 * CPU_FREE(). NULL with *ret_bytes 0: the bitmap is absent, empty or infinite (no restriction).
 * NULL with *ret_bytes 1: out of memory.
 */
cpu_set_t *schedule_cpu_set(hwloc_const_bitmap_t cpus, size_t *ret_bytes);

#endif
