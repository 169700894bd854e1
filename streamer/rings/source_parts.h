/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by source.c and source_open.c alone.
 *
 * Threads: the same as in source.h.
 */
#ifndef TS_STREAMER_RINGS_SOURCE_PARTS_H
#define TS_STREAMER_RINGS_SOURCE_PARTS_H

#include "streamer/rings/source.h"

/*
 * The target of one descriptor: a thread, all tasks (-1), or a cgroup by its folder's descriptor.
 */
struct source_place {
	pid_t tid;
	int cpu;
	bool is_cgroup;
};

/* perf_event_open(2) without a group, close-on-exec; a descriptor or -errno. */
int source_perf_open(const struct perf_event_attr *attr, const struct source_place *where);

/*
 * True if the event with that index is opened for the ring. A sample event goes to sample rings of
 * its direction, on the CPUs of its PMU.
 */
bool source_has_event(const struct source *source, size_t event, const struct source_ring *ring);

/* Closes sample events and side-band dummies. The owners stay open. */
void source_close_events(struct source *source);

#endif
