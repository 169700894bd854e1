// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/target_life.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/base/clock.h"

static int open_dummy(pid_t tid, int cpu, bool inherits)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER,
		.disabled = 1,
		.inherit = inherits,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens the ring that dummies are redirected to: without a ring the kernel reports no hang-up. */
static int open_owner(struct target_life *l, int cpu, struct ts_error *err)
{
	l->owner_fd = open_dummy(0, cpu, false);
	if (l->owner_fd < 0)
		return ts_error_sys(err, errno, "cannot watch the recorded tasks");
	l->page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
		       l->owner_fd, 0);
	if (l->page == MAP_FAILED) {
		l->page = NULL;
		ts_error_sys(err, errno, "cannot watch the recorded tasks: mmap");
		return ts_error_hint(err, "raise kernel.perf_event_mlock_kb");
	}
	return 0;
}

/* Returns 1 if the thread is watched, 0 if it is gone already, or -errno. */
static int watch_thread(struct target_life *l, pid_t tid, int cpu, struct ts_error *err)
{
	struct epoll_event interest = {.data.u64 = l->nr};
	int fd = open_dummy(tid, cpu, l->inherits);

	if (fd < 0)
		return errno == ESRCH ? 0 : ts_error_sys(err, errno, "cannot watch task %d", tid);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, l->owner_fd) < 0 ||
	    epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &interest) < 0) {
		ts_error_sys(err, errno, "cannot watch task %d", tid);
		close(fd);
		return -err->code;
	}
	l->fds[l->nr++] = fd;
	return 1;
}

int target_life_open(struct target_life *l, const pid_t *tids, size_t nr, int cpu, bool inherits,
		     struct ts_error *err)
{
	int code;

	memset(l, 0, sizeof(*l));
	l->owner_fd = -1;
	l->inherits = inherits;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->fds = calloc(nr, sizeof(*l->fds));
	if (l->epoll_fd < 0 || !l->fds) {
		code = ts_error_sys(err, l->fds ? errno : ENOMEM,
				    "cannot watch the recorded tasks");
		goto fail;
	}
	code = open_owner(l, cpu, err);
	if (code < 0)
		goto fail;
	for (size_t i = 0; i < nr; i++) {
		code = watch_thread(l, tids[i], cpu, err);
		if (code < 0)
			goto fail;
	}
	l->nr_alive = l->nr;
	if (l->nr_alive > 0)
		return 0;
	code = ts_error_set(err, ESRCH, "cannot record: all given tasks have ended");
fail:
	target_life_close(l);
	return code;
}

static bool are_threads_over(struct target_life *l)
{
	struct epoll_event ready[16];
	int n = epoll_wait(l->epoll_fd, ready, 16, 0);

	for (int i = 0; i < n; i++) {
		int *fd = &l->fds[ready[i].data.u64];

		close(*fd); /* this also removes it from the epoll set; else it would stay ready */
		*fd = -1;
		l->nr_alive--;
	}
	return l->nr_alive == 0;
}

/* --- processes, one after the other --- */

static bool watch_fd(struct target_life *l, int fd)
{
	struct epoll_event interest = {.events = EPOLLIN};

	if (fd < 0 || epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &interest) < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	l->fds[0] = fd;
	return true;
}

static int open_process(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* A process that has ended, but whose parent has not noticed, is not watched. */
static bool watch_process(struct target_life *l, pid_t pid)
{
	int fd = open_process(pid);
	struct pollfd ended = {.fd = fd, .events = POLLIN};

	if (fd >= 0 && poll(&ended, 1, 0) > 0) {
		close(fd);
		return false;
	}
	return watch_fd(l, fd);
}

static bool watch_next(struct target_life *l)
{
	for (pid_t pid = l->next(l->arg, 0); pid > 0; pid = l->next(l->arg, pid))
		if (watch_process(l, pid))
			return true;
	return false;
}

static bool watch_timer(struct target_life *l)
{
	struct itimerspec when = {.it_value = {.tv_sec = (time_t)(l->grace_ns / TS_NS_PER_SEC),
					       .tv_nsec = (long)(l->grace_ns % TS_NS_PER_SEC)}};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd >= 0)
		timerfd_settime(fd, 0, &when, NULL);
	return watch_fd(l, fd);
}

int target_life_open_processes(struct target_life *l, target_life_next next, const void *arg,
			       uint64_t grace_ns, struct ts_error *err)
{
	*l = (struct target_life){.owner_fd = -1, .next = next, .arg = arg, .grace_ns = grace_ns};
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->fds = malloc(sizeof(*l->fds));
	if (l->epoll_fd < 0 || !l->fds) {
		ts_error_sys(err, l->fds ? errno : ENOMEM, "cannot watch the recorded tasks");
		goto fail;
	}
	l->nr = 1;
	l->fds[0] = open_process(getpid()); /* can this kernel do it? */
	if (l->fds[0] < 0) {
		ts_error_set(err, ENOSYS, "cannot watch the recorded tasks");
		goto fail;
	}
	close(l->fds[0]);
	l->fds[0] = -1;
	if (watch_next(l))
		return 0;
	ts_error_set(err, ESRCH, "cannot record: all given tasks have ended");
fail:
	target_life_close(l);
	return -err->code;
}

/* The watched process has ended, or the timer has. */
static bool is_last_process_over(struct target_life *l)
{
	struct epoll_event ready;

	if (epoll_wait(l->epoll_fd, &ready, 1, 0) < 1)
		return false;
	close(l->fds[0]);
	l->fds[0] = -1;
	if (watch_next(l)) {
		l->was_patient = false;
		return false;
	}
	if (l->was_patient || !l->grace_ns)
		return true;
	l->was_patient = true;
	return !watch_timer(l);
}

bool target_life_is_over(struct target_life *l)
{
	return l->next ? is_last_process_over(l) : are_threads_over(l);
}

void target_life_close(struct target_life *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->fds[i] >= 0)
			close(l->fds[i]);
	free(l->fds);
	l->fds = NULL;
	l->nr = l->nr_alive = 0;
	if (l->page)
		munmap(l->page, (size_t)sysconf(_SC_PAGESIZE));
	l->page = NULL;
	if (l->epoll_fd >= 0) {
		close(l->epoll_fd);
		if (l->owner_fd >= 0)
			close(l->owner_fd);
	}
	l->epoll_fd = l->owner_fd = -1;
}
