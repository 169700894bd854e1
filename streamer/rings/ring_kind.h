/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between the kinds of rings for whoever drains them: a table, asked once a ring.
 *
 *	kind		pending				copy
 *	samples		what waits in the ring		out of the ring
 *	side-band	the same			the same, and mended (lengthened.h)
 *	overwritten	what is left of a dump		out of the dump (ring_backward.h)
 *
 * Threads: constant; what it has is called as ring.h and ring_backward.h say.
 */
#ifndef TS_STREAMER_RINGS_RING_KIND_H
#define TS_STREAMER_RINGS_RING_KIND_H

#include "streamer/rings/ring.h"

struct ring_kind {
	/* Bytes that may be copied; RING_BROKEN: its head cannot be. */
	uint64_t (*pending)(const struct ring *r);
	/* As ring_copy(). */
	enum ring_copied (*copy)(struct ring *r, void *dst, size_t room, size_t *ret_bytes);
	/* It keeps what it has until a dump is made, which is taken as a whole. */
	bool is_dumped;
};

const struct ring_kind *ring_kind_of(const struct ring *r);

#endif
