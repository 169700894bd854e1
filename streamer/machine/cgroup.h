/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cgroups that performance events know. They are those of the hierarchy with the controller
 * perf_event: a hierarchy of its own (version 1), else the unified one.
 *
 * Threads: pure functions over the filesystem.
 */
#ifndef TS_STREAMER_MACHINE_CGROUP_H
#define TS_STREAMER_MACHINE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Opens the folder of a cgroup for perf_event_open(2). `name` is a path inside the hierarchy. */
int cgroup_open(const char *name, struct ts_error *err);

/*
 * Calls `tell` for each cgroup with its number, as samples have it (the handle of its folder), and
 * its path. A failure of the callback ends the walk. -ENOENT: the hierarchy is mounted nowhere.
 */
int cgroup_each(int (*tell)(void *arg, uint64_t id, const char *path), void *arg);

#endif
