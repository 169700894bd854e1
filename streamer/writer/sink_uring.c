// SPDX-License-Identifier: Apache-2.0
/*
 * Writes through the io_uring of the writer's wait.
 *
 * The operations of a block are submitted as one chain of linked SQEs. The kernel starts each
 * operation when the one before it has written all its bytes. If an operation does not, the kernel
 * drops the rest of the chain. Successes inside the chain are silent (CQE_SKIP_SUCCESS). So exactly
 * one completion arrives: that of the last operation, or of the one that failed or fell short. In
 * the second case the dropped operations are silent, too. Kernels without that flag (before 5.17)
 * get one operation at a time.
 *
 * A write that extends the file always goes through a worker thread of the kernel. The function
 * wait_uring_init() has set the affinity of these workers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "streamer/writer/sink.h"
#include "streamer/writer/sink_block.h"

#define TAG_OP_BITS 16 /* more operations than a block has */
#define TAG_SYNC    (1ULL << 48)

static void note_completed(void *arg, uint64_t tag, int32_t res)
{
	struct sink *s = arg;
	uint64_t attempt = tag >> TAG_OP_BITS;

	if (tag == TAG_SYNC) {
		sink_synced(s, res);
		return;
	}
	if (s->state != SINK_BUSY || !s->is_under_way || attempt != s->attempt)
		return; /* stale: of a start that was given up */
	sink_block_complete(s, tag & ((1u << TAG_OP_BITS) - 1), res);
}

/*
 * A sparse table can be extended later without a stop. Kernels before 5.19 know only a full table.
 */
static int register_memory(struct sink *s)
{
	struct io_uring *uring = &s->wait->uring;
	unsigned nr = s->plan.nr_memory;
	int rc;

	if (io_uring_register_buffers_sparse(uring, nr + s->plan.nr_more) < 0)
		return io_uring_register_buffers(uring, s->plan.memory, nr);
	rc = io_uring_register_buffers_update_tag(uring, 0, s->plan.memory, NULL, nr);
	if (rc == (int)nr)
		return 0;
	io_uring_unregister_buffers(uring);
	return rc < 0 ? rc : -ENOMEM;
}

static int open_uring(struct sink *s, struct ts_error *err)
{
	s->wait->on_write = note_completed;
	s->wait->on_write_arg = s;
	s->has_fixed_file = io_uring_register_files(&s->wait->uring, &s->plan.file.fd, 1) == 0;
	if (!s->plan.nr_memory)
		return 0;
	s->fixed = calloc(s->plan.nr_memory + s->plan.nr_more, sizeof(*s->fixed));
	if (!s->fixed)
		return ts_error_sys(err, ENOMEM, "cannot set up the writing of %s", s->plan.path);
	memcpy(s->fixed, s->plan.memory, s->plan.nr_memory * sizeof(*s->fixed));
	/*
	 * If this is refused, for example over the budget of locked memory, each write pins its own
	 * pages.
	 */
	if (register_memory(s) == 0)
		s->nr_fixed = s->plan.nr_memory;
	return 0;
}

/* If the table has no room or the system refuses, the memory is used unregistered. */
static void add_memory(struct sink *s, void *memory, size_t bytes)
{
	struct iovec v = {.iov_base = memory, .iov_len = bytes};

	if (!s->nr_fixed || s->nr_fixed == s->plan.nr_memory + s->plan.nr_more ||
	    io_uring_register_buffers_update_tag(&s->wait->uring, s->nr_fixed, &v, NULL, 1) != 1)
		return;
	s->fixed[s->nr_fixed++] = v;
}

/* If the system refuses, the file is used unregistered. */
static void switch_file(struct sink *s)
{
	struct io_uring *uring = &s->wait->uring;

	if (!s->has_fixed_file ||
	    io_uring_register_files_update(uring, 0, &s->plan.file.fd, 1) == 1)
		return;
	io_uring_unregister_files(uring);
	s->has_fixed_file = false;
}

/*
 * Unregisters explicitly, because that is done when the call returns. At the end of an io_uring a
 * worker of the kernel would release file and memory later. By then the file may have to be closed
 * and the memory to be free.
 */
static void close_uring(struct sink *s)
{
	if (s->nr_fixed)
		io_uring_unregister_buffers(&s->wait->uring);
	if (s->has_fixed_file)
		io_uring_unregister_files(&s->wait->uring);
	s->has_fixed_file = false;
	free(s->fixed);
	s->fixed = NULL;
	s->nr_fixed = 0;
}

/* Index of the registered memory that holds all of the bytes; -1: none. */
static int fixed_index(const struct sink *s, const struct iovec *v)
{
	uintptr_t from = (uintptr_t)v->iov_base;
	unsigned i;

	for (i = 0; i < s->nr_fixed; i++) {
		uintptr_t base = (uintptr_t)s->fixed[i].iov_base;

		if (from >= base && from - base + v->iov_len <= s->fixed[i].iov_len)
			return (int)i;
	}
	return -1;
}

static void prepare_op(struct sink *s, struct io_uring_sqe *sqe, size_t op)
{
	int fd = s->has_fixed_file ? 0 : s->plan.file.fd;
	uint64_t offset;
	struct iovec v = sink_block_rest(s, op, &offset);
	int index = fixed_index(s, &v);
	bool is_last = op + 1 == s->at + s->nr_started;

	if (index >= 0)
		io_uring_prep_write_fixed(sqe, fd, v.iov_base, (unsigned)v.iov_len, offset, index);
	else
		io_uring_prep_write(sqe, fd, v.iov_base, (unsigned)v.iov_len, offset);
	if (s->has_fixed_file)
		sqe->flags |= IOSQE_FIXED_FILE;
	if (!is_last)
		sqe->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
	wait_uring_tag_write(sqe, ((uint64_t)s->attempt << TAG_OP_BITS) | op);
}

static void start_uring(struct sink *s)
{
	size_t i;
	int rc;

	if (!s->wait->has_cqe_skip)
		s->nr_started = 1;
	if (s->nr_started > s->wait->writes_max)
		s->nr_started = s->wait->writes_max;
	/* All SQEs of a chain must be in the queue at once. */
	if (io_uring_sq_space_left(&s->wait->uring) < s->nr_started)
		io_uring_submit(&s->wait->uring);
	if (io_uring_sq_space_left(&s->wait->uring) < s->nr_started) {
		sink_block_complete(s, s->at, -EAGAIN);
		return;
	}
	for (i = 0; i < s->nr_started; i++)
		prepare_op(s, wait_uring_write_sqe(s->wait), s->at + i);
	rc = io_uring_submit(&s->wait->uring);
	/* After EAGAIN and EBUSY the entries stay in the queue, and the next wait submits them. */
	if (rc < 0 && rc != -EAGAIN && rc != -EBUSY && rc != -EINTR)
		sink_block_complete(s, s->at, rc);
}

/* The sync is outside any chain, so it runs beside the writes that are submitted later. */
static void sync_uring(struct sink *s)
{
	struct io_uring_sqe *sqe = wait_uring_write_sqe(s->wait);
	int rc;

	if (!sqe) {
		sink_synced(s, -EAGAIN);
		return;
	}
	io_uring_prep_fsync(sqe, s->has_fixed_file ? 0 : s->plan.file.fd, IORING_FSYNC_DATASYNC);
	if (s->has_fixed_file)
		sqe->flags |= IOSQE_FIXED_FILE;
	wait_uring_tag_write(sqe, TAG_SYNC);
	rc = io_uring_submit(&s->wait->uring);
	if (rc < 0 && rc != -EAGAIN && rc != -EBUSY && rc != -EINTR)
		sink_synced(s, rc);
}

const struct sink_ops sink_uring_ops = {
	.open = open_uring,
	.start = start_uring,
	.add = add_memory,
	.sync = sync_uring,
	.switch_file = switch_file,
	.close = close_uring,
};
