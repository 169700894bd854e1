// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "streamer/recording/recording.h"

/* What is written to a file without a name is gone when we close it. */
static int check_streams(const struct recording *r, struct ts_error *err)
{
	struct stat st;

	for (size_t i = 0; r->disk.counts_links && i < r->plan->layout.nr; i++)
		if (fstat(r->streams[i].file.fd, &st) == 0 && st.st_nlink == 0)
			return ts_error_set(err, ENOENT,
					    "cannot go on recording into %s: it was removed",
					    r->streams[i].path);
	return 0;
}

int recording_look_at_disk(struct recording *r, struct ts_error *err)
{
	uint64_t now_ns = ts_now_ns();
	int code;

	if (now_ns < r->disk.next_ns)
		return 0;
	code = disk_watch_look(&r->disk, now_ns, size_limit_bytes(&r->limit), err);
	return code < 0 ? code : check_streams(r, err);
}
