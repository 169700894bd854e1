/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture that is still being recorded: up to which time it can be read. (Whether it is, its lock
 * tells: recorder.h.)
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

/* Keeps the highest time of the chunks of each stream of ours. */
static inline void live_capture_note(uint64_t *last_ns, const struct chunk *chunk)
{
	if (chunk->header_bytes && chunk->time_max_ns > last_ns[chunk->stream])
		last_ns[chunk->stream] = chunk->time_max_ns;
}
/*
 * Up to which time, on the clock of the capture, all streams of ours are complete; last_ns, by
 * stream, is of all their chunks. False: none has a time. Never 0.
 */
bool live_capture_limit(const struct capture *c, const uint64_t *last_ns, uint64_t *ret_ns);
/* The same of a table that has all chunks. */
bool live_capture_until(const struct chunk_table *t, uint64_t *ret_ns);

#endif
