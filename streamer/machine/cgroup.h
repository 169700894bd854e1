/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cgroups that performance events know: those of the hierarchy that has the controller
 * perf_event, which is one of its own (version 1) or else the unified one.
 *
 * Threads: pure functions over the filesystem.
 */
#ifndef TS_STREAMER_MACHINE_CGROUP_H
#define TS_STREAMER_MACHINE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Opens the folder of a cgroup, a path inside the hierarchy, for perf_event_open(2). */
int cgroup_open(const char *name, struct ts_error *err);

/*
 * Tells each cgroup that there is, by the number that samples have (its inode's handle) and its path.
 * A callback's failure ends it. -ENOENT: the hierarchy is mounted nowhere.
 */
int cgroup_each(int (*tell)(void *arg, uint64_t id, const char *path), void *arg);

#endif
