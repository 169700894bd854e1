// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/needed_tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/min_max.h"

#define PIDS (1u << 22) /* PID_MAX_LIMIT, include/linux/threads.h */

/* 32 MiB of address space. Only the pages in which a process is noted take memory. */
int needed_tasks_init(struct needed_tasks *n)
{
	n->since_ns = calloc(PIDS, sizeof(*n->since_ns));
	return n->since_ns ? 0 : -ENOMEM;
}

void needed_tasks_add(struct needed_tasks *n, uint32_t pid, uint64_t since_ns)
{
	if (!n->since_ns || pid >= PIDS)
		return;
	since_ns = ts_max(since_ns, 1);
	n->since_ns[pid] = n->since_ns[pid] ? ts_min(n->since_ns[pid], since_ns) : since_ns;
}

void needed_tasks_begins(struct needed_tasks *n, uint32_t pid, uint64_t time_ns)
{
	if (n->since_ns && pid < PIDS && time_ns <= n->since_ns[pid])
		n->since_ns[pid] = NEEDED_TASKS_FROM_ITS_BEGIN;
}

uint64_t needed_tasks_since(const struct needed_tasks *n, uint32_t pid)
{
	return n->since_ns && pid < PIDS ? n->since_ns[pid] : 1;
}

void needed_tasks_release(struct needed_tasks *n)
{
	free(n->since_ns);
	n->since_ns = NULL;
}
