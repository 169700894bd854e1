/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place where a writer waits for events.
 *
 * Ring readiness, completions of writes, main's orders and the flush deadline all end the same
 * wait, so no event is polled for and none is missed. There are two kinds. With io_uring, multishot
 * polls on the descriptors stand beside the writes of sink_uring, and a wait is one system call. If
 * io_uring is refused, the kind is epoll. Readiness is edge-triggered with both: it is reported
 * once, when it arrives. The owner then looks at its rings and flags to see what is still to be
 * done.
 *
 * Threads: the writer alone, from init to close. The writer's own thread must call wait_init(),
 * because a single-issuer io_uring serves only the thread that made it.
 */
#ifndef TS_STREAMER_WRITER_WAIT_H
#define TS_STREAMER_WRITER_WAIT_H

#include <liburing.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum wait_kind {
	WAIT_URING,
	WAIT_EPOLL,
};

/* Bits of the events that a wait found; no bit: the deadline was reached. */
enum wait_what {
	WAIT_RINGS = 1u << 0,
	WAIT_WRITE = 1u << 1,
	WAIT_STOP = 1u << 2, /* main has raised the order to stop, or has another order */
};

/* SQEs that a sink may have queued at the same time, in addition to one for each descriptor. */
#define WAIT_URING_WRITES_MAX 64
#define WAIT_URING_WRITES_FEW 8 /* if locked memory is short */

struct wait_source {
	int fd;
	enum wait_what what;
	bool is_dead; /* it hung up: it is not polled any more */
	int poll_rc;  /* io_uring: -errno of a poll that was refused */
};

struct wait {
	enum wait_kind kind;
	bool is_open;
	struct io_uring uring; /* WAIT_URING: sink_uring writes with it, too */
	unsigned writes_max;   /* io_uring: SQEs that a sink may have queued */
	bool has_cqe_skip;     /* io_uring: successes inside a chain stay silent */
	int epoll_fd;
	struct wait_source *sources; /* allocated at init */
	unsigned nr_sources, max_sources;

	unsigned found; /* io_uring: found by a look, to be reported by the next wait */

	/* called for each completed write of the io_uring; set by the sink */
	void (*on_write)(void *arg, uint64_t tag, int32_t res);
	void *on_write_arg;
};

/*
 * Makes a wait for at most max_sources descriptors. `cpus`, if not NULL, are the CPUs on which
 * io_uring's kernel workers may run. WAIT_URING fails with -EPERM, -ENOSYS, -EINVAL or -ENOMEM if
 * the kernel refuses or is too old. WAIT_EPOLL works everywhere.
 */
int wait_init(struct wait *w, enum wait_kind kind, unsigned max_sources, const cpu_set_t *cpus,
	      size_t cpus_bytes, struct ts_error *err);
void wait_close(struct wait *w); /* accepts a zeroed one; idempotent */

/* Adds a descriptor, which must stay open until wait_close(). */
int wait_add(struct wait *w, int fd, enum wait_what what, struct ts_error *err);

/*
 * Waits for an event or for the deadline (CLOCK_MONOTONIC; TS_TIME_NEVER: none). Returns bits of
 * enum wait_what, 0 at the deadline, or -errno if the kernel refuses to wait.
 */
int wait_next(struct wait *w, uint64_t deadline_ns, struct ts_error *err);
/*
 * Completes writes that are done, without sleeping: for a writer that is busy draining. Other
 * events that it finds are kept for the next wait.
 */
void wait_look(struct wait *w);

/* --- for the kinds --- */

int wait_uring_init(struct wait *w, const cpu_set_t *cpus, size_t cpus_bytes, struct ts_error *err);
void wait_uring_close(struct wait *w);
int wait_uring_add(struct wait *w, unsigned source, struct ts_error *err);
int wait_uring_next(struct wait *w, uint64_t deadline_ns, struct ts_error *err);
void wait_uring_look(struct wait *w);
/*
 * Returns an SQE for a write whose completion goes to on_write(tag); NULL: the queue is full even
 * after a submit.
 */
struct io_uring_sqe *wait_uring_write_sqe(struct wait *w);
void wait_uring_tag_write(struct io_uring_sqe *sqe, uint64_t tag);

int wait_epoll_init(struct wait *w, struct ts_error *err);
void wait_epoll_close(struct wait *w);
int wait_epoll_add(struct wait *w, unsigned source, struct ts_error *err);
int wait_epoll_next(struct wait *w, uint64_t deadline_ns, struct ts_error *err);

#endif
