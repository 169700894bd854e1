/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The total size of all streams, and its bound: --max-size, or the size of --switch-output. Each
 * writer adds the bytes that it wrote. The addition that reaches the bound raises a flag; the main
 * thread then ends the recording or makes a cut.
 *
 * Threads: any writer adds while main waits for `reached`. Main alone restarts, and then adds what
 * the next directory has already. Any thread reads the bytes. Main calls init before the writers
 * start, and release after they have ended.
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

/* `reached` is raised once max_bytes were added; max_bytes 0: never. */
int size_limit_init(struct size_limit *l, uint64_t max_bytes, struct ts_error *err);
void size_limit_release(struct size_limit *l); /* idempotent after init */
void size_limit_add(struct size_limit *l, uint64_t bytes);
/* Counts from 0 again and lowers `reached`. For the thread that waits for `reached`. */
void size_limit_restart(struct size_limit *l);
/* Returns the sum of all bytes that were added. */
uint64_t size_limit_bytes(const struct size_limit *l);

#endif
