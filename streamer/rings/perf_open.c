// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/perf_open.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel overwrites attr.size if it refuses that size: of the copy. */
int perf_open(const struct perf_event_attr *attr, const struct perf_open_place *where)
{
	struct perf_event_attr copy = *attr;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (where->is_cgroup ? PERF_FLAG_PID_CGROUP : 0);
	long fd = syscall(SYS_perf_event_open, &copy, where->tid, where->cpu, -1, flags);

	return fd < 0 ? -errno : (int)fd;
}
