// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/ring_kind.h"

#include "common/perf/lengthened.h"
#include "streamer/rings/record_walk.h"
#include "streamer/rings/ring_backward.h"

/*
 * If several recorders run, the kernel lengthens records of side-band. They are mended here, in the
 * copy. So all later steps read the right time and id.
 */
static enum ring_copied copy_mended(struct ring *r, void *dst, size_t room, size_t *ret_bytes)
{
	enum ring_copied copied = ring_copy(r, dst, room, ret_bytes);

	if (copied == RING_COPY_DONE)
		ts_lengthened_mend_run(dst, *ret_bytes, RECORD_WALK_TRAILER_BYTES);
	return copied;
}

const struct ring_kind *ring_kind_of(const struct ring *r)
{
	static const struct ring_kind samples = {ring_pending, ring_copy, false};
	static const struct ring_kind sideband = {ring_pending, copy_mended, false};
	static const struct ring_kind overwritten = {ring_dump_pending, ring_dump_copy, true};

	switch (r->id.kind) {
	case TS_RING_SIDEBAND:
		return &sideband;
	case TS_RING_OVERWRITE:
		return &overwritten;
	default:
		return &samples;
	}
}
