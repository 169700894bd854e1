/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time up to which a capture can be read that is still being recorded. (The lock of the
 * directory tells whether it is: recorder.h.)
 *
 * Each writer writes its stream at its own times. --flush bounds the age of records that are not
 * written yet. So all records that were older than --flush when the capture was opened are in the
 * streams. Later records are left out. Then all CPUs have the same time in a report, and the order
 * of records is final.
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

/* Keeps, for each stream of ours, the highest time of its chunks. */
static inline void live_capture_note(uint64_t *last_ns, const struct chunk *chunk)
{
	if (chunk->header_bytes && chunk->time_max_ns > last_ns[chunk->stream])
		last_ns[chunk->stream] = chunk->time_max_ns;
}
/*
 * The time, on the clock of the capture, up to which all streams of ours are complete. last_ns has,
 * by stream, the highest time of all their chunks. Returns 1, 0 if no
 * chunk has a time, or -ENOMEM. *ret_ns is never 0.
 */
int live_capture_limit(const struct capture *c, const uint64_t *last_ns, uint64_t *ret_ns);
/* The same from a table that has all chunks. */
int live_capture_until(const struct chunk_table *t, uint64_t *ret_ns);

#endif
