/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture that is still being recorded: whether it is, and up to which time it can be read.
 *
 * The recorder holds a lock on its directory (flock) for as long as it lives, so a reader knows a
 * capture that grows from one whose recorder was killed.
 *
 * Streams are written independently, each when its writer comes round to it. What all of them hold
 * is known from --flush, which bounds the age of what is not written yet: what was older than that
 * when the capture was opened is there. Everything later is left out, so that no CPU has more time
 * in a report than another, and order is final.
 *
 *	stream 0  ----------------|--.
 *	stream 1  ----------------|-----------.
 *	stream 2  -------.        |               (nothing happened there since)
 *	                          cut             now
 *	                          '--- --flush ---'
 *
 * Threads: no state; any thread.
 */
#ifndef TS_READER_CHUNKS_LIVE_CAPTURE_H
#define TS_READER_CHUNKS_LIVE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/chunks/chunk_table.h"

/*
 * Is somebody recording into this directory? False where that cannot be found out. The path is as
 * for openat().
 */
bool running_is(int dir_fd, const char *path);
/* Keeps the highest time of the chunks of each stream of ours. */
static inline void running_note(uint64_t *last_ns, const struct chunk *chunk)
{
	if (chunk->header_bytes && chunk->time_max_ns > last_ns[chunk->stream])
		last_ns[chunk->stream] = chunk->time_max_ns;
}
/*
 * Up to which time, on the clock of the capture, all streams of ours are complete; last_ns, by
 * stream, is of all their chunks. False: none has a time. Never 0.
 */
bool running_limit(const struct capture *c, const uint64_t *last_ns, uint64_t *ret_ns);
/* The same of a table that has all chunks. */
bool running_until(const struct chunk_table *t, uint64_t *ret_ns);

#endif
