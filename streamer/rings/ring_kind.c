// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/ring_kind.h"

#include "common/base/min_max.h"
#include "common/perf/lengthened.h"
#include "streamer/rings/record_walk.h"
#include "streamer/rings/ring_backward.h"
#include "streamer/rings/ring_fed.h"
#include "streamer/rings/task_filter.h"

/*
 * If several recorders run, the kernel lengthens records of side-band. They are mended here, in the
 * copy. So all later steps read the right time and id. Records of foreign tasks are left out.
 */
static enum ring_copied copy_sideband(struct ring *r, void *dst, size_t room, size_t *ret_bytes)
{
	enum ring_copied copied;
	size_t len;

	if (r->tasks) {
		const uint64_t known_bytes = task_filter_look(r->tasks, r);

		if (!known_bytes)
			return RING_COPY_EMPTY;
		room = ts_min((uint64_t)room, known_bytes);
	}
	copied = ring_copy(r, dst, room, &len);
	if (copied != RING_COPY_DONE)
		return copied;
	ts_lengthened_mend_run(dst, len, RECORD_WALK_TRAILER_BYTES);
	if (r->file_ids)
		file_ids_put_run(r->file_ids, dst, len);
	if (r->tasks)
		len = task_filter_run(r->tasks, dst, len);
	if (!len)
		return RING_COPY_EMPTY;
	*ret_bytes = len;
	return RING_COPY_DONE;
}

const struct ring_kind *ring_kind_of(const struct ring *r)
{
	static const struct ring_kind samples = {ring_pending, ring_copy, false};
	static const struct ring_kind sideband = {ring_pending, copy_sideband, false};
	static const struct ring_kind overwritten = {ring_dump_pending, ring_dump_copy, true};
	static const struct ring_kind fed = {ring_fed_pending, ring_fed_copy, false};

	if (r->fed.is_on)
		return &fed;
	switch (r->id.kind) {
	case TS_RING_SIDEBAND:
		return &sideband;
	case TS_RING_OVERWRITE:
		return &overwritten;
	default:
		return &samples;
	}
}
