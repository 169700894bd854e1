/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of type BPF_MAP_TYPE_PERF_EVENT_ARRAY that is pinned in a bpf filesystem, and our events in
 * it, one for each CPU. A BPF program that calls bpf_perf_event_output() writes into the event at
 * the number of its CPU.
 *
 * The map belongs to others, and it keeps events alive that were closed. An event that we put into
 * it goes with the descriptor through which it was put (perf_event_fd_array_release() in the
 * kernel's kernel/bpf/arraymap.c), so after SIGKILL, too. If the map was made with
 * BPF_F_PRESERVE_ELEMS, the event stays, and pinned_map_close() takes it out.
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
	bool keeps;	     /* BPF_F_PRESERVE_ELEMS: events in it outlive our process */
	hwloc_bitmap_t cpus; /* owned; where we have put events */
};

/* -errno: nothing is at the path, or no such map, or bpf(2) is refused. */
int pinned_map_open(struct pinned_map *m, const char *path, struct ts_error *err);
/*
 * Puts an event into the CPU's place, in place of any other. The event must be open on that CPU,
 * for everybody and without inherit. -ERANGE: the map has no such place.
 */
int pinned_map_put(struct pinned_map *m, unsigned int cpu, int event_fd, struct ts_error *err);
void pinned_map_close(struct pinned_map *m); /* accepts a zeroed one; idempotent */

#endif
