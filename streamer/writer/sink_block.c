// SPDX-License-Identifier: Apache-2.0
/*
 * Decides how a block continues after an operation has ended. Next comes another operation, the
 * rest of the same one, a retry, a shorter block on a full disk, or the end of the stream.
 */
#include "streamer/writer/sink_block.h"

#include <assert.h>
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/stream/stream.h"

#define RETRIES_MAX 1000 /* a second of EAGAIN */
#define RETRY_NS    TS_NS_PER_MS
#define SPARED	    ((size_t)64 << 10) /* left free on a full disk; see next_try_bytes() */

/* --- faults --- */

static bool must_be_short(const struct sink *s)
{
	return s->faults.short_every && s->nr_ops % s->faults.short_every == 0;
}

static int64_t inject_fault(const struct sink *s, int64_t res)
{
	const struct sink_faults *f = &s->faults;

	if (!f->fail_errno || s->nr_ops < f->fail_at)
		return res;
	if (f->fail_times && s->nr_ops >= f->fail_at + f->fail_times)
		return res;
	return -f->fail_errno;
}

struct iovec sink_block_rest(const struct sink *s, size_t op, uint64_t *ret_offset)
{
	const struct write_op *w = &s->block.ops[op];
	size_t done = op == s->at ? s->done : 0;
	size_t len = w->len - done;
	size_t unit = s->plan.file.direct ? s->plan.file.align : 1;

	if (must_be_short(s) && len / 2 >= unit)
		len = len / 2 / unit * unit;
	*ret_offset = w->offset + done;
	return (struct iovec){.iov_base = (char *)w->data + done, .iov_len = len};
}

size_t sink_block_whole_records(const struct sink *s, size_t limit)
{
	size_t len = s->cut_from ? s->cut_from : s->block.len;

	return ts_stream_whole_records(s->block.data, len, ts_min(limit, len));
}

/*
 * Returns where to cut the file after the operation `at` failed with `done` bytes written. A direct
 * block is one operation: its whole records remain. A buffered block keeps the segments whose three
 * operations are complete. The first operation, the skeleton, has no records.
 */
static uint64_t whole_bytes(const struct sink *s)
{
	const struct write_op *ops = s->block.ops;

	if (s->block.nr_ops == 1)
		return s->block.offset + sink_block_whole_records(s, s->done);
	return s->at == 0 ? s->block.offset : ops[1 + 3 * ((s->at - 1) / 3)].offset;
}

void sink_block_truncate(struct sink *s, uint64_t bytes)
{
	assert(s->state == SINK_FAILED);
	s->file_bytes = bytes;
	if (s->plan.kind == SINK_NULL || ftruncate(s->plan.file.fd, (off_t)bytes) == 0)
		return;
	ts_error_hint(&s->error, "truncating it to its last whole record (%llu bytes) failed, too",
		      (unsigned long long)bytes);
}

static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT;
}

/* Only the first failure of a block is reported. */
static void word_failure(struct sink *s, int code)
{
	if (s->cut_from)
		return;
	ts_error_sys(&s->error, code, "cannot write %s (writer %u) at byte %llu", s->plan.path,
		     s->plan.number, (unsigned long long)(s->block.ops[s->at].offset + s->done));
	ts_file_hint_write(&s->error, "the data written before is kept and can be read; ");
}

void sink_block_fail(struct sink *s, uint64_t keep)
{
	s->state = SINK_FAILED;
	s->due_ns = TS_TIME_NEVER;
	sink_block_truncate(s, keep);
}

/*
 * Returns how many bytes of the block to try after the disk was full at its first operation; 0:
 * none. A buffered write returns how much fitted. A direct write that did not even begin is halved.
 * A little of the fitting part is left free. A filesystem that takes only buffered writes (NFS,
 * FUSE) may also lack files without a name, with which ts_dir_reserve() keeps room for the last
 * `data` and tstream.json.
 */
static size_t next_try_bytes(const struct sink *s)
{
	size_t spared = s->done / 2 < SPARED ? s->done / 2 : SPARED;
	size_t align = s->plan.file.align;

	if (s->at)
		return 0;
	if (s->block.nr_ops == 1)
		return s->done ? 0 : s->block.len / 2 / align * align;
	return sink_block_whole_records(s, s->done ? s->done - spared : s->block.len / 2);
}

/* Makes the block shorter, to be started anew. False: no part of it may fit. */
static bool shrink_block(struct sink *s, int code)
{
	size_t len = next_try_bytes(s);

	if (!len || ftruncate(s->plan.file.fd, (off_t)s->block.offset))
		return false;
	word_failure(s, code);
	if (!s->cut_from)
		s->cut_from = s->block.len;
	s->block.nr_ops = write_order_plan(s->block.laying, s->block.data, len, s->block.offset);
	s->block.ops = s->block.laying->ops;
	s->block.len = len;
	s->done = 0;
	s->nr_retries = 0;
	return true;
}

static void fail_op(struct sink *s, int code)
{
	if (is_full(code) && shrink_block(s, code))
		return;
	word_failure(s, code);
	sink_block_fail(s, whole_bytes(s));
}

static void retry_op(struct sink *s, int code)
{
	if (++s->nr_retries > RETRIES_MAX) {
		fail_op(s, code);
		return;
	}
	s->due_ns = code == EINTR ? TS_TIME_NEVER : ts_clock_now_ns() + RETRY_NS;
}

/*
 * Returns why a write gets no further: the file size limit or a full disk. The kernel shortens a
 * write at either of them, and a direct write then ends between two aligned positions.
 */
static int limit_that_was_met(const struct sink *s)
{
	const uint64_t end = s->block.ops[s->at].offset + s->done;
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur <= end ? EFBIG : ENOSPC;
}

static void go_short(struct sink *s, size_t written)
{
	size_t unit = s->plan.file.direct ? s->plan.file.align : 1;
	size_t done = (s->done + written) / unit * unit;

	if (done > s->done)
		s->nr_retries = 0;
	else if (++s->nr_retries > 3) {
		s->done += written;
		fail_op(s, limit_that_was_met(s));
		return;
	}
	s->done = done;
}

static void end_op(struct sink *s)
{
	s->at++;
	s->done = 0;
	s->nr_retries = 0;
	if (s->at < s->block.nr_ops)
		return;
	s->is_complete = true;
	s->due_ns = s->faults.delay_ms ? ts_clock_now_ns() + s->faults.delay_ms * TS_NS_PER_MS : 0;
}

void sink_block_complete(struct sink *s, size_t op, int64_t res)
{
	size_t left;

	if (op > s->at) {
		s->nr_ops += op - s->at;
		s->at = op;
		s->done = 0;
	}
	s->is_under_way = false;
	res = inject_fault(s, res);
	left = s->block.ops[op].len - s->done;
	s->nr_ops++;
	if (res == -EAGAIN || res == -EINTR)
		retry_op(s, (int)-res);
	else if (res < 0)
		fail_op(s, (int)-res);
	else if (res == 0 || (size_t)res < left)
		go_short(s, (size_t)res);
	else
		end_op(s);
}
