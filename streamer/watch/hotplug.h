/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs that went offline or came online during the recording.
 *
 * The kernel sends a message for each change to a netlink socket, which wakes the main thread. Each
 * look reads /sys/devices/system/cpu/online, which is authoritative. Only a message shows a CPU
 * that left and came back between two looks. In user namespaces there are no messages: there a look
 * once a second finds the changes that last so long.
 *
 * Threads: main thread.
 */
#ifndef TS_STREAMER_WATCH_HOTPLUG_H
#define TS_STREAMER_WATCH_HOTPLUG_H

#include <hwloc.h>
#include <stddef.h>

#include "common/base/error.h"

struct hotplug {
	int fd;		       /* readable if the kernel has sent a message; -1: no messages */
	hwloc_bitmap_t online; /* owned, as the others; at the last look */
	hwloc_bitmap_t went;   /* by the last look: were offline, may be back already */
	hwloc_bitmap_t came;   /* by the last look: are online, but were not all the time */
};

/* `online`: the CPUs with which the recording was planned. -ENOMEM. */
int hotplug_open(struct hotplug *h, hwloc_const_bitmap_t online, struct ts_error *err);
/* Reads all messages and the set of CPUs that are online now. */
void hotplug_look(struct hotplug *h);
void hotplug_close(struct hotplug *h); /* accepts a zeroed one; idempotent */

/* The parts of a look: one message of the kernel, and the comparison with the CPUs online now. */
void hotplug_take_message(struct hotplug *h, const char *text, size_t len);
void hotplug_compare(struct hotplug *h, hwloc_const_bitmap_t online);

#endif
