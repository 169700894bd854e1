// SPDX-License-Identifier: Apache-2.0
/*
 * One io_uring for all events that a writer waits for. Each descriptor has a multishot poll: one
 * SQE at the start, then a CQE each time the descriptor becomes ready. The top byte of the user
 * data of a CQE names its owner: a source (with its index) or a write (with the sink's tag).
 *
 * The setup flags are tried from the best to none. With DEFER_TASKRUN the kernel completes
 * operations only when the writer enters it. TASKRUN_FLAG then tells a busy writer, without a
 * system call, that completions wait.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "common/base/clock.h"
#include "streamer/writer/wait.h"

#define OF_SOURCE    (1ULL << 56)
#define OF_WRITE     (2ULL << 56)
#define OWNER_MASK   (0xffULL << 56)
#define CANCEL_S_MAX 10 /* a longer write is left to the end of the io_uring */
/* The last of these came with Linux 5.13. So did multishot polls, which have no feature bit. */
#define FEATURES (IORING_FEAT_EXT_ARG | IORING_FEAT_NODROP | IORING_FEAT_RSRC_TAGS)

static int try_setup(struct wait *w, unsigned flags, unsigned writes_max)
{
	unsigned entries = w->max_sources + writes_max;
	struct io_uring_params params = {
		.flags = flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
		/* A multishot poll may complete several times between two looks. */
		.cq_entries = 4 * entries,
	};
	int rc = io_uring_queue_init_params(entries, &w->uring, &params);

	if (rc < 0)
		return rc;
	if ((params.features & FEATURES) == FEATURES) {
		w->has_cqe_skip = params.features & IORING_FEAT_CQE_SKIP;
		w->writes_max = writes_max;
		return 0;
	}
	io_uring_queue_exit(&w->uring);
	return -ENOSYS;
}

static int try_ways(struct wait *w, unsigned writes_max)
{
	static const unsigned ways[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL, /* 6.1 */
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,	     /* 5.19 */
		0,
	};
	int rc = -EINVAL;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]) && rc == -EINVAL; i++)
		rc = try_setup(w, ways[i], writes_max);
	return rc;
}

static int refuse_ring(int rc, struct ts_error *err)
{
	if (rc == -EPERM)
		ts_error_set(err, EPERM, "cannot set up io_uring: the system does not permit it");
	else
		ts_error_sys(err, -rc, "cannot set up io_uring");
	if (rc == -ENOMEM)
		return ts_error_hint(err, "use --io=pwrite, or allow more locked memory "
					  "(ulimit -l), or take smaller rings (-m)");
	return ts_error_hint(err, "use --io=pwrite, or look at the sysctl "
				  "kernel.io_uring_disabled (0 permits it)");
}

/*
 * The kernel executes a write in a worker thread. It makes the worker at the first write, and the
 * worker inherits the scheduling that the writer has at that moment. So an empty request makes the
 * worker now. If that fails, the first write makes it later.
 */
static void make_worker(struct io_uring *uring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(uring);
	struct io_uring_cqe *cqe;

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	if (io_uring_submit_and_wait(uring, 1) == 1 && !io_uring_wait_cqe(uring, &cqe))
		io_uring_cqe_seen(uring, cqe);
}

int wait_uring_init(struct wait *w, const cpu_set_t *cpus, size_t cpus_bytes, struct ts_error *err)
{
	int rc = try_ways(w, WAIT_URING_WRITES_MAX);

	/*
	 * The queues are locked memory, and the rings of an ordinary user may have left little of
	 * that.
	 */
	if (rc == -ENOMEM)
		rc = try_ways(w, WAIT_URING_WRITES_FEW);
	if (rc < 0)
		return refuse_ring(rc, err);
	/* With newer kernels workers inherit the mask; with older kernels it must be set. */
	if (cpus)
		io_uring_register_iowq_aff(&w->uring, cpus_bytes, cpus);
	make_worker(&w->uring);
	return 0;
}

/*
 * Cancels all operations in flight and waits for them, so that they hold no file after the return.
 * Kernels before 6.0 lack this call: there the end of the io_uring cancels, a little later.
 */
void wait_uring_close(struct wait *w)
{
	struct io_uring_sync_cancel_reg all = {
		.flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL,
		.timeout = {.tv_sec = CANCEL_S_MAX},
	};

	io_uring_register_sync_cancel(&w->uring, &all);
	io_uring_get_events(&w->uring);
	io_uring_queue_exit(&w->uring);
}

static struct io_uring_sqe *get_sqe(struct wait *w)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&w->uring);

	if (sqe)
		return sqe;
	io_uring_submit(&w->uring);
	return io_uring_get_sqe(&w->uring);
}

static int arm_source(struct wait *w, unsigned source)
{
	struct io_uring_sqe *sqe = get_sqe(w);

	if (!sqe)
		return -EBUSY;
	io_uring_prep_poll_multishot(sqe, w->sources[source].fd, POLLIN);
	io_uring_sqe_set_data64(sqe, OF_SOURCE | source);
	return 0;
}

static int note_source(struct wait *w, unsigned source, const struct io_uring_cqe *cqe)
{
	struct wait_source *src = &w->sources[source];

	if (cqe->res < 0)
		src->poll_rc = cqe->res;
	if (cqe->res < 0 || (cqe->res & (POLLHUP | POLLERR)))
		src->is_dead = true;
	/* Without MORE the poll has ended (the completion queue was full): arm it again. */
	if (!(cqe->flags & IORING_CQE_F_MORE) && !src->is_dead && arm_source(w, source) < 0)
		src->is_dead = true;
	return (int)src->what;
}

static int note_cqe(struct wait *w, const struct io_uring_cqe *cqe)
{
	uint64_t data = io_uring_cqe_get_data64(cqe);

	switch (data & OWNER_MASK) {
	case OF_SOURCE:
		return note_source(w, (unsigned)(data & ~OWNER_MASK), cqe);
	case OF_WRITE:
		w->on_write(w->on_write_arg, data & ~OWNER_MASK, cqe->res);
		return WAIT_WRITE;
	default:
		return 0;
	}
}

/*
 * A completion may make the sink start the next write. That write goes into the SQ, not into this
 * loop.
 */
static int note_all(struct wait *w)
{
	struct io_uring_cqe *cqe;
	int found = 0;

	while (io_uring_peek_cqe(&w->uring, &cqe) == 0) {
		struct io_uring_cqe copy = *cqe;

		io_uring_cqe_seen(&w->uring, cqe);
		found |= note_cqe(w, &copy);
	}
	return found;
}

void wait_uring_look(struct wait *w)
{
	w->found |= (unsigned)note_all(w) & ~WAIT_WRITE;
}

/* A descriptor that cannot be polled completes at once. So it fails here and not in a wait. */
int wait_uring_add(struct wait *w, unsigned source, struct ts_error *err)
{
	int rc = arm_source(w, source);

	if (rc == 0)
		rc = io_uring_submit(&w->uring);
	wait_uring_look(w);
	if (rc >= 0)
		rc = w->sources[source].poll_rc;
	if (rc < 0)
		return ts_error_sys(err, -rc, "cannot wait for descriptor %d with io_uring",
				    w->sources[source].fd);
	return 0;
}

int wait_uring_next(struct wait *w, uint64_t deadline_ns, struct ts_error *err)
{
	struct __kernel_timespec ts;
	struct io_uring_cqe *cqe;
	uint64_t now_ns = ts_clock_now_ns(), left_ns;
	unsigned found = w->found;
	int rc;

	w->found = 0;
	if (found)
		return (int)found | note_all(w);
	left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	ts.tv_sec = (long long)(left_ns / TS_NS_PER_SEC);
	ts.tv_nsec = (long long)(left_ns % TS_NS_PER_SEC);
	rc = io_uring_submit_and_wait_timeout(&w->uring, &cqe, 1,
					      deadline_ns == TS_TIME_NEVER ? NULL : &ts, NULL);
	/*
	 * ETIME: the deadline. EINTR: a debugger. EAGAIN, EBUSY: completions must be taken first.
	 */
	if (rc < 0 && rc != -ETIME && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY)
		return ts_error_sys(err, -rc, "cannot wait with io_uring");
	return note_all(w);
}

struct io_uring_sqe *wait_uring_write_sqe(struct wait *w)
{
	return get_sqe(w);
}

void wait_uring_tag_write(struct io_uring_sqe *sqe, uint64_t tag)
{
	io_uring_sqe_set_data64(sqe, OF_WRITE | tag);
}
