// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/target_life.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

bool target_life_is_over(struct target_life *l)
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
