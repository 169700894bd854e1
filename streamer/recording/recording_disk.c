// SPDX-License-Identifier: Apache-2.0
#include "common/base/clock.h"
#include "streamer/recording/recording.h"

int recording_look_at_disk(struct recording *r, struct ts_error *err)
{
	uint64_t now_ns = ts_now_ns();
	int code;

	if (now_ns < r->part.disk.next_ns)
		return 0;
	code = disk_watch_look(&r->part.disk, now_ns, size_limit_bytes(&r->crew.limit), err);
	return code < 0 || !r->part.disk.counts_links ? code : crew_check_streams(&r->crew, err);
}
