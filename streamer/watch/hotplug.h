/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPUs went offline and which came online while we record.
 *
 * The kernel tells of each change by a message on a netlink socket, which wakes the main thread; the
 * truth is /sys/devices/system/cpu/online, which is read at each look. A message is needed for a CPU
 * that left and came back between two looks. Where there are no messages (user namespaces), a look
 * once a second finds what lasts that long.
 *
 * Threads: main thread.
 */
#ifndef TS_STREAMER_WATCH_HOTPLUG_H
#define TS_STREAMER_WATCH_HOTPLUG_H

#include <hwloc.h>
#include <stddef.h>

#include "common/base/error.h"

struct hotplug {
	int fd;		       /* readable when the kernel tells something; -1: it tells nothing */
	hwloc_bitmap_t online; /* owned, as the others; as of the last look */
	hwloc_bitmap_t went;   /* found by the last look: were offline, may be back already */
	hwloc_bitmap_t came;   /* and are online, but were not, or not all the time */
};

/* `online`: what the recording was planned with. -ENOMEM. */
int hotplug_open(struct hotplug *h, hwloc_const_bitmap_t online, struct ts_error *err);
/* Reads all messages, and what is online now. */
void hotplug_look(struct hotplug *h);
void hotplug_close(struct hotplug *h); /* accepts a zeroed one; idempotent */

/* The parts of a look: a message of the kernel; what is online now. */
void hotplug_take_message(struct hotplug *h, const char *text, size_t len);
void hotplug_compare(struct hotplug *h, hwloc_const_bitmap_t online);

#endif
