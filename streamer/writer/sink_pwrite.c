// SPDX-License-Identifier: Apache-2.0
/*
 * Writes with pwrite(2) from a helper thread, if io_uring is refused or not wanted.
 *
 * The writer hands over the operations that it started and goes on draining. The helper executes
 * them in order, up to the first that fails or falls short, and hands the result back. `turn` says
 * which thread owns the block. The eventfds only wake: `go` wakes the helper, `done` the writer's
 * wait.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/wakeup.h"
#include "streamer/writer/sink.h"
#include "streamer/writer/sink_block.h"

enum turn {
	TURN_WRITER,
	TURN_HELPER,
	TURN_END, /* the helper is to end */
};

struct sink_helper {
	/* constant after start */
	struct sink *sink;
	int go_fd, done_fd;
	struct ts_thread thread;

	/* shared: ordering note 3 */
	_Atomic int turn;

	/* whose turn it is */
	bool syncs; /* the order is to sync, not to write */
	size_t op;
	int64_t res;
};

/*
 * Executes operations up to the first that is not written completely, or the last one. The result
 * of this operation is in h->op and h->res.
 */
static void execute_block(struct sink_helper *h)
{
	struct sink *s = h->sink;
	size_t end = s->at + s->nr_started;

	for (h->op = s->at; h->op < end; h->op++) {
		uint64_t offset;
		struct iovec v = sink_block_rest(s, h->op, &offset);

		h->res = pwrite(s->plan.file.fd, v.iov_base, v.iov_len, (off_t)offset);
		if (h->res < 0)
			h->res = -errno;
		if (h->res != (int64_t)v.iov_len || h->op + 1 == end)
			return;
	}
}

static void run_helper(void *arg)
{
	struct sink_helper *h = arg;

	for (;;) {
		int turn;

		ts_wakeup_take(h->go_fd);
		/* Acquire: partner is the release in hand_over() and close_pwrite(). */
		turn = atomic_load_explicit(&h->turn, memory_order_acquire);
		if (turn == TURN_END)
			return;
		if (turn != TURN_HELPER)
			continue;
		if (h->syncs)
			h->res = fdatasync(h->sink->plan.file.fd) < 0 ? -errno : 0;
		else
			execute_block(h);
		/* Release: partner is the acquire in look_pwrite(). */
		atomic_store_explicit(&h->turn, TURN_WRITER, memory_order_release);
		ts_wakeup_send(h->done_fd);
	}
}

static int open_pwrite(struct sink *s, struct ts_error *err)
{
	struct sink_helper *h = calloc(1, sizeof(*h));
	char name[TS_THREAD_NAME_BYTES];
	int rc;

	if (!h)
		return ts_error_sys(err, ENOMEM, "cannot set up the writing of %s", s->plan.path);
	s->helper = h;
	h->sink = s;
	h->go_fd = eventfd(0, EFD_CLOEXEC);
	h->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (h->go_fd < 0 || h->done_fd < 0)
		return ts_error_sys(err, errno, "cannot set up the writing of %s", s->plan.path);
	rc = wait_add(s->wait, h->done_fd, WAIT_WRITE, err);
	if (rc < 0)
		return rc;
	snprintf(name, sizeof(name), "tstream-p%02u", s->plan.number % 100000);
	/* The helper inherits the CPUs and the scheduling of the writer. */
	return ts_thread_start(&h->thread, name, NULL, 0, run_helper, h, err);
}

static void hand_over(struct sink_helper *h, bool syncs)
{
	h->syncs = syncs;
	/* Release: partner is the acquire in run_helper(). Block and list are the helper's now. */
	atomic_store_explicit(&h->turn, TURN_HELPER, memory_order_release);
	ts_wakeup_send(h->go_fd);
}

static void start_pwrite(struct sink *s)
{
	hand_over(s->helper, false);
}

static void sync_pwrite(struct sink *s)
{
	hand_over(s->helper, true);
}

static void look_pwrite(struct sink *s)
{
	struct sink_helper *h = s->helper;

	if (!s->is_under_way && !s->sync.is_under_way)
		return;
	/* Acquire: partner is the release in run_helper(). */
	if (atomic_load_explicit(&h->turn, memory_order_acquire) != TURN_WRITER)
		return;
	if (h->syncs)
		sink_synced(s, (int)h->res);
	else
		sink_block_complete(s, h->op, h->res);
}

static void close_pwrite(struct sink *s)
{
	struct sink_helper *h = s->helper;

	if (!h)
		return;
	if (h->thread.is_started) {
		/*
		 * Waits for a write under way: `turn` must not be overwritten before the write has
		 * ended.
		 */
		while (atomic_load_explicit(&h->turn, memory_order_acquire) == TURN_HELPER)
			usleep(1000);
		/* Release: partner is the acquire in run_helper(). */
		atomic_store_explicit(&h->turn, TURN_END, memory_order_release);
		ts_wakeup_send(h->go_fd);
		ts_thread_join(&h->thread);
	}
	if (h->go_fd >= 0)
		close(h->go_fd);
	if (h->done_fd >= 0)
		close(h->done_fd);
	free(h);
	s->helper = NULL;
}

const struct sink_ops sink_pwrite_ops = {
	.open = open_pwrite,
	.start = start_pwrite,
	.look = look_pwrite,
	.sync = sync_pwrite,
	.is_serial = true,
	.close = close_pwrite,
};
