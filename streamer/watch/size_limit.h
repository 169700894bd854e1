/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all streams have together, and --max-size, a bound over it. Each writer adds what it wrote,
 * and the one that reaches the bound raises the flag by which the main thread ends the recording.
 *
 * Threads: add for any writer, while the owner waits for `reached`; bytes for any thread; init and
 * release for the owner, before and after them.
 */
#ifndef TS_STREAMER_WATCH_SIZE_LIMIT_H
#define TS_STREAMER_WATCH_SIZE_LIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/stop.h"

struct size_limit {
	/* constant after init */
	uint64_t max_bytes; /* 0: no bound */

	/* shared by writers: ordering note 8 of docs/threads.md */
	_Atomic uint64_t bytes;
	struct ts_stop reached;
};

/* `reached` goes up when max_bytes were added; 0: never. */
int size_limit_init(struct size_limit *l, uint64_t max_bytes, struct ts_error *err);
void size_limit_release(struct size_limit *l); /* idempotent after init */
void size_limit_add(struct size_limit *l, uint64_t bytes);
/* Counts from 0 again, `reached` is down; for who waits for it. */
void size_limit_restart(struct size_limit *l);
/* The sum of what was added. */
uint64_t size_limit_bytes(const struct size_limit *l);

#endif
