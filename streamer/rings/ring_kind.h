/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differences between the kinds of rings, as a table. The drain looks it up once for each ring.
 *
 *	kind		pending				copy
 *	samples		bytes that wait in the ring	out of the ring
 *	side-band	the same			the same, then mended (lengthened.h),
 *							with build-ids (file_ids.h),
 *							without foreign tasks (task_filter.h)
 *	overwritten	the rest of a dump		out of the dump (ring_backward.h)
 *	fed		the rest of what main gave	out of main's memory (ring_fed.h)
 *
 * Threads: the table is constant. ring.h, ring_backward.h and ring_fed.h say who may call its
 * functions.
 */
#ifndef TS_STREAMER_RINGS_RING_KIND_H
#define TS_STREAMER_RINGS_RING_KIND_H

#include "streamer/rings/ring.h"

struct ring_kind {
	/* Bytes that may be copied; RING_BROKEN: the head is impossible. */
	uint64_t (*pending)(const struct ring *r);
	/*
	 * The same as ring_copy(). Side-band may be EMPTY although its room was given back: all of
	 * it was of foreign tasks.
	 */
	enum ring_copied (*copy)(struct ring *r, void *dst, size_t room, size_t *ret_bytes);
	/* Nothing is taken out of the ring until it is dumped; then the whole dump is. */
	bool is_dumped;
};

const struct ring_kind *ring_kind_of(const struct ring *r);

#endif
