/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_event_open(2), for the events of a capture and for those that trigger a cut.
 *
 * Threads: pure but for the system call.
 */
#ifndef TS_STREAMER_RINGS_PERF_OPEN_H
#define TS_STREAMER_RINGS_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* One descriptor records a thread, all tasks (-1) or a cgroup, on a CPU. */
struct perf_open_place {
	pid_t tid; /* or the descriptor of the cgroup's folder */
	int cpu;
	bool is_cgroup;
};

/* Opens an event without a group, close-on-exec. Returns the caller's descriptor, or -errno. */
int perf_open(const struct perf_event_attr *attr, const struct perf_open_place *where);

#endif
