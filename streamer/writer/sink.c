// SPDX-License-Identifier: Apache-2.0
/*
 * The progress of one block, which is the same for all kinds of sinks:
 *
 *	sink_write -> start -> sink_block_complete -+-> next operations: start
 *	                 ^                    +-> short: start, with the rest of the operation
 *	                 |                    +-> EAGAIN, EINTR: start, a little later
 *	                 +---- sink_look <----+-> all complete: reported by sink_look, when due
 *	                                      +-> no space: start, with the part that may fit
 *	                                      +-> anything else: truncate, fail
 *
 * A completion only notes which operations to start; sink_write() and sink_look() start them. So a
 * kind may complete at once from within its start, as null does, without a recursion.
 */
#include "streamer/writer/sink.h"

#include <assert.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "streamer/writer/sink_block.h"

const char *sink_kind_name(enum sink_kind kind)
{
	static const char *const names[] = {
		[SINK_AUTO] = "auto",
		[SINK_URING] = "io_uring",
		[SINK_PWRITE] = "pwrite",
		[SINK_NULL] = "null",
	};

	return names[kind];
}

int sink_open(struct sink *s, const struct sink_plan *plan, struct wait *wait, struct ts_error *err)
{
	static const struct sink_ops *const kinds[] = {
		[SINK_URING] = &sink_uring_ops,
		[SINK_PWRITE] = &sink_pwrite_ops,
		[SINK_NULL] = &sink_null_ops,
	};
	int rc;

	assert(plan->kind != SINK_AUTO);
	*s = (struct sink){.plan = *plan, .wait = wait, .due_ns = TS_TIME_NEVER};
	s->sync.due_ns = TS_TIME_NEVER;
	if (plan->faults)
		s->faults = *plan->faults;
	s->ops = kinds[plan->kind];
	rc = s->ops->open(s, err);
	if (rc < 0)
		sink_close(s);
	return rc;
}

void sink_close(struct sink *s)
{
	if (s->ops)
		s->ops->close(s);
	s->ops = NULL;
}

void sink_add_memory(struct sink *s, void *memory, size_t bytes)
{
	if (s->ops->add)
		s->ops->add(s, memory, bytes);
}

void sink_switch(struct sink *s, const struct ts_stream_file *file, uint64_t file_bytes)
{
	assert(s->state == SINK_IDLE && !s->sync.is_under_way);
	s->plan.file = *file;
	s->file_bytes = file_bytes;
	if (s->ops->switch_file)
		s->ops->switch_file(s);
}

static bool has_faults(const struct sink *s)
{
	return s->faults.fail_errno || s->faults.short_every;
}

static void start_ops(struct sink *s)
{
	size_t left = s->block.nr_ops - s->at;
	size_t most = has_faults(s) ? 1 : WAIT_URING_WRITES_MAX;

	s->nr_started = ts_min(left, most);
	s->attempt++;
	s->is_under_way = true;
	s->ops->start(s);
}

/*
 * Starts the operations that a completion has left. If a kind completes at once, the loop goes
 * round.
 */
static void move_on(struct sink *s)
{
	sink_sync_look(s);
	while (s->state == SINK_BUSY && !s->is_under_way && !s->is_complete &&
	       s->due_ns == TS_TIME_NEVER && !sink_sync_blocks(s))
		start_ops(s);
}

void sink_write(struct sink *s, const struct sink_block *block)
{
	assert(s->state == SINK_IDLE || s->sync.has_failed);
	s->block = *block;
	if (s->state == SINK_FAILED)
		return;
	s->state = SINK_BUSY;
	s->at = s->done = 0;
	s->is_complete = false;
	s->cut_from = 0;
	s->due_ns = TS_TIME_NEVER;
	s->nr_retries = 0;
	s->started_ns = ts_clock_now_ns();
	move_on(s);
}

static enum sink_state finish_sink(struct sink *s)
{
	if (s->cut_from) {
		sink_block_fail(s, s->block.offset + sink_block_whole_records(s, s->block.len));
		return SINK_FAILED;
	}
	s->state = s->sync.has_failed ? SINK_FAILED : SINK_IDLE;
	s->due_ns = TS_TIME_NEVER;
	sink_sync_note_written(s);
	s->write_ns = ts_clock_now_ns() - s->started_ns;
	s->file_bytes = s->block.offset + s->block.len;
	return SINK_WRITTEN;
}

enum sink_state sink_look(struct sink *s)
{
	if (s->ops->look && (s->state == SINK_BUSY || s->sync.is_under_way))
		s->ops->look(s);
	if (s->state == SINK_BUSY && s->due_ns != TS_TIME_NEVER &&
	    (s->due_ns == 0 || s->due_ns <= ts_clock_now_ns())) {
		if (s->is_complete)
			return finish_sink(s);
		s->due_ns = TS_TIME_NEVER;
	}
	move_on(s);
	if (s->state == SINK_BUSY && s->is_complete && s->due_ns == 0)
		return finish_sink(s);
	return s->state;
}

uint64_t sink_due_ns(const struct sink *s)
{
	uint64_t due_ns = s->state == SINK_BUSY ? s->due_ns : TS_TIME_NEVER;
	uint64_t sync_ns = sink_sync_due_ns(s);

	return ts_min(sync_ns, due_ns);
}
