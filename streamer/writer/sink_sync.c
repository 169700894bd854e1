// SPDX-License-Identifier: Apache-2.0
/*
 * --sync: written blocks reach the disk itself, not only the filesystem.
 *
 * A sync begins when the oldest block without a sync has waited for half of the time of --sync. It
 * has the other half to end. A sync covers the blocks that were complete when it began; the next
 * sync covers blocks that are completed meanwhile. Writes by io_uring go on beside the sync. The
 * pwrite helper does one thing after the other, and a sync that is due comes first.
 */
#include <errno.h>

#include "common/base/clock.h"
#include "streamer/writer/sink.h"

void sink_sync_note_written(struct sink *s)
{
	if (s->plan.sync_ns && s->ops->sync && s->sync.due_ns == TS_TIME_NEVER)
		s->sync.due_ns = ts_clock_now_ns() + s->plan.sync_ns / 2;
}

static bool may_begin(const struct sink *s)
{
	return !s->sync.is_under_way && s->state != SINK_FAILED &&
	       !(s->ops->is_serial && s->is_under_way);
}

void sink_sync_look(struct sink *s)
{
	if (s->sync.due_ns == TS_TIME_NEVER || !may_begin(s) || s->sync.due_ns > ts_clock_now_ns())
		return;
	s->sync.due_ns = TS_TIME_NEVER;
	s->sync.is_under_way = true;
	s->sync.began_ns = ts_clock_now_ns();
	s->ops->sync(s);
}

bool sink_sync_blocks(const struct sink *s)
{
	return s->ops->is_serial && s->sync.is_under_way;
}

uint64_t sink_sync_due_ns(const struct sink *s)
{
	return may_begin(s) ? s->sync.due_ns : TS_TIME_NEVER;
}

bool sink_end_sync(struct sink *s)
{
	if (s->state == SINK_FAILED)
		return true;
	if (s->sync.due_ns != TS_TIME_NEVER) {
		s->sync.due_ns = 0;
		sink_sync_look(s);
	}
	return s->sync.due_ns == TS_TIME_NEVER && !s->sync.is_under_way;
}

/* The disk may have dropped anything since the last sync, so the sink writes nothing more. */
static void fail_sync(struct sink *s, int code)
{
	s->sync.has_failed = true;
	if (s->state == SINK_FAILED)
		return;
	ts_error_sys(&s->error, code, "cannot sync %s (writer %u) to the disk", s->plan.path,
		     s->plan.number);
	ts_error_hint(&s->error, "data written since the last sync may be lost after a failure of "
				 "the power or the disk");
	if (s->state == SINK_IDLE)
		s->state = SINK_FAILED;
}

static int inject_sync(const struct sink *s, int res)
{
	const struct sink_faults *f = &s->faults;

	return f->sync_errno && s->sync.nr >= f->sync_fail_at ? -f->sync_errno : res;
}

void sink_synced(struct sink *s, int res)
{
	uint64_t took_ns = ts_clock_now_ns() - s->sync.began_ns;

	res = inject_sync(s, res);
	s->sync.is_under_way = false;
	if (res == -EINTR || res == -EAGAIN) {
		s->sync.due_ns = ts_clock_now_ns() + TS_NS_PER_MS;
		return;
	}
	s->sync.nr++;
	if (took_ns > s->sync.max_ns)
		s->sync.max_ns = took_ns;
	if (res < 0)
		fail_sync(s, -res);
}
