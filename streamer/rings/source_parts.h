/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What source.c and source_open.c share; of no use to others.
 *
 * Threads: as source.h.
 */
#ifndef TS_STREAMER_RINGS_SOURCE_PARTS_H
#define TS_STREAMER_RINGS_SOURCE_PARTS_H

#include "streamer/rings/source.h"

/* Whom an event is opened for: a thread, everybody (-1), or a cgroup by its folder's descriptor. */
struct source_place {
	pid_t tid;
	int cpu;
	bool is_cgroup;
};

/* perf_event_open(2) without a group, close-on-exec; a descriptor or -errno. */
int source_perf_open(const struct perf_event_attr *attr, const struct source_place *where);

/*
 * True if the attr of that number is opened for the ring: samples for samples, on its PMU's CPUs.
 */
bool source_has_event(const struct source *source, size_t event, const struct source_ring *ring);

/* Closes sample events and side-band dummies; the owners stay. */
void source_close_events(struct source *source);

#endif
