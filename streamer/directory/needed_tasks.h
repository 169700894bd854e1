/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of which processes side-band is needed, and since when. What no process can have as its number (the
 * kernel's maps have -1) is always needed.
 *
 * Threads: one owner.
 */
#ifndef TS_STREAMER_DIRECTORY_NEEDED_TASKS_H
#define TS_STREAMER_DIRECTORY_NEEDED_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#define NEEDED_TASKS_FROM_ITS_BEGIN UINT64_MAX /* and that is known */

struct needed_tasks {
	uint64_t *since_ns; /* owned; by process number; NULL: not made, and everything is needed */
};

int needed_tasks_init(
	struct needed_tasks *n); /* nothing; 0 or -ENOMEM, which leaves it with everything */
void needed_tasks_add(struct needed_tasks *n, uint32_t pid, uint64_t since_ns);
/* What is at that time the process began with; what was before it is not needed, if nothing else says so. */
void needed_tasks_begins(struct needed_tasks *n, uint32_t pid, uint64_t time_ns);
/* 0: it is not needed. */
uint64_t needed_tasks_since(const struct needed_tasks *n, uint32_t pid);
void needed_tasks_release(struct needed_tasks *n); /* accepts a zeroed one; idempotent */

#endif
