/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes whose side-band is needed, and since when. Side-band with a number that no process
 * can have (the kernel's maps have -1) is always needed.
 *
 * Threads: one owner.
 */
#ifndef TS_STREAMER_DIRECTORY_NEEDED_TASKS_H
#define TS_STREAMER_DIRECTORY_NEEDED_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#define NEEDED_TASKS_FROM_ITS_BEGIN UINT64_MAX /* no side-band from before its begin is needed */

struct needed_tasks {
	uint64_t *since_ns; /* owned; by process number; NULL: not made, everything is needed */
};

/* Nothing is needed. Returns 0; -ENOMEM: everything is. */
int needed_tasks_init(struct needed_tasks *n);
void needed_tasks_add(struct needed_tasks *n, uint32_t pid, uint64_t since_ns);
/*
 * The process began at that time: side-band from before is not needed, unless needed_tasks_add()
 * asks again.
 */
void needed_tasks_begins(struct needed_tasks *n, uint32_t pid, uint64_t time_ns);
/* 0: not needed. */
uint64_t needed_tasks_since(const struct needed_tasks *n, uint32_t pid);
void needed_tasks_release(struct needed_tasks *n); /* accepts a zeroed one; idempotent */

#endif
