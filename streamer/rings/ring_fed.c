// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/ring_fed.h"

#include <string.h>

#include "common/base/min_max.h"

#define NOMINAL_BYTES 8 /* so small that any content counts as enough (drain.c) */

void ring_fed_init(struct ring *r, const struct ring_id *id)
{
	*r = (struct ring){
		.id = *id, .poll_fd = -1, .size_bytes = NOMINAL_BYTES, .fed.is_on = true};
}

bool ring_fed_is_free(const struct ring *r)
{
	/* Acquire: partner is the release in ring_fed_copy(), whose copies are complete then. */
	return !atomic_load_explicit(&r->fed.is_given, memory_order_acquire);
}

void ring_fed_give(struct ring *r, const void *run, size_t bytes)
{
	r->fed.run = run;
	r->fed.bytes = bytes;
	r->fed.off = 0;
	/* Release: partner is the acquire in ring_fed_pending(), which lets the run be read. */
	atomic_store_explicit(&r->fed.is_given, bytes > 0, memory_order_release);
}

uint64_t ring_fed_pending(const struct ring *r)
{
	bool is_given = atomic_load_explicit(&r->fed.is_given, memory_order_acquire);

	return is_given ? r->fed.bytes - r->fed.off : 0;
}

enum ring_copied ring_fed_copy(struct ring *r, void *dst, size_t room, size_t *ret_bytes)
{
	size_t left = ring_fed_pending(r), len;

	if (!left)
		return RING_COPY_EMPTY;
	len = ring_whole_bytes(r->fed.run + r->fed.off, ts_min(left, room));
	if (!len)
		return RING_COPY_NO_ROOM;
	memcpy(dst, r->fed.run + r->fed.off, len);
	r->fed.off += len;
	r->tail_pos += len;
	if (len == left)
		atomic_store_explicit(&r->fed.is_given, false, memory_order_release);
	*ret_bytes = len;
	return RING_COPY_DONE;
}
