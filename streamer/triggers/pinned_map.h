/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of type BPF_MAP_TYPE_PERF_EVENT_ARRAY that is pinned in a bpf filesystem, and the events that
 * we have in it, one a CPU: bpf_perf_event_output() of a BPF program writes into the event that stands
 * at the number of its CPU.
 *
 * The map belongs to others. It holds on to events that were closed; what we put into it goes with the
 * descriptor through which it was put (perf_event_fd_array_release() in the kernel's
 * kernel/bpf/arraymap.c), so after SIGKILL, too. Only where the map was made with BPF_F_PRESERVE_ELEMS
 * it stays, and is taken out at the close.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_TRIGGERS_PINNED_MAP_H
#define TS_STREAMER_TRIGGERS_PINNED_MAP_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct pinned_map {
	const char *path; /* not owned; NULL: not open */
	int fd;
	uint32_t nr;	     /* places in it */
	bool keeps;	     /* BPF_F_PRESERVE_ELEMS: what is in it outlives who put it there */
	hwloc_bitmap_t cpus; /* owned; where we have put events */
};

/* -errno: there is nothing at the path, or no such map, or bpf(2) is refused. */
int pinned_map_open(struct pinned_map *m, const char *path, struct ts_error *err);
/*
 * Puts an event that is open on the CPU, for everybody and without inherit, at the CPU's place, whatever
 * was there. -ERANGE: it has no such place.
 */
int pinned_map_put(struct pinned_map *m, unsigned int cpu, int event_fd, struct ts_error *err);
void pinned_map_close(struct pinned_map *m); /* accepts a zeroed one; idempotent */

#endif
