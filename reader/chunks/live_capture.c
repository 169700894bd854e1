// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/live_capture.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "reader/capture/account.h"

/* For recorders that did not note theirs: the default. */
#define FLUSH_DEFAULT_NS TS_NS_PER_SEC
/*
 * A file's time of change is that of the last tick of the kernel's clock; ticks are at most 10 ms
 * apart.
 */
#define TICK_NS (20 * TS_NS_PER_MS)

static int read_flush(const struct capture *c, uint64_t *ret_ns)
{
	struct account account;
	int rc = account_read(&account, c);

	*ret_ns = account.flush_ns ? account.flush_ns : FLUSH_DEFAULT_NS;
	account_release(&account);
	return rc;
}

int live_capture_limit(const struct capture *c, const uint64_t *last_ns, uint64_t *ret_ns)
{
	int64_t offset_ns = INT64_MIN, until_ns;
	uint64_t flush_ns;
	int rc;

	/*
	 * A record is older than the write that put it into its stream. So the difference between a
	 * record's time and the write's time is a lower bound for the offset from the wall clock to
	 * the capture's clock. That clock perhaps cannot be read here. The stream that was written
	 * last gives the best bound.
	 */
	for (size_t i = 0; i < c->nr_streams; i++) {
		const int64_t ns = (int64_t)(last_ns[i] - c->streams[i].map.changed_ns);

		if (last_ns[i] && ns > offset_ns)
			offset_ns = ns;
	}
	if (offset_ns == INT64_MIN)
		return 0;
	rc = read_flush(c, &flush_ns);
	if (rc)
		return rc;
	until_ns = (int64_t)(c->opened_ns + (uint64_t)offset_ns - flush_ns - TICK_NS);
	*ret_ns = until_ns > 0 ? (uint64_t)until_ns : 1;
	return 1;
}

int live_capture_until(const struct chunk_table *t, uint64_t *ret_ns)
{
	uint64_t *last_ns = calloc(t->capture->nr_streams, sizeof(*last_ns));
	int rc;

	for (size_t i = 0; last_ns && i < t->nr; i++)
		live_capture_note(last_ns, &t->chunks[i]);
	rc = last_ns ? live_capture_limit(t->capture, last_ns, ret_ns) : -ENOMEM;
	free(last_ns);
	return rc;
}
