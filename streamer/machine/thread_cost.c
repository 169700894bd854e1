// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/thread_cost.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/clock.h"

/* The first line of a file of /proc/self/task/TID; false: the thread is gone. */
static bool read_line(int dir_fd, const char *tid, const char *file, char *ret, size_t bytes)
{
	char path[64];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", tid, file) >= (int)sizeof(path))
		return false;
	fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, ret, bytes - 1);
	close(fd);
	if (len <= 0)
		return false;
	ret[len] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return true;
}

/* The CPU time of a thread if it has one of these names; else 0. */
static uint64_t cost_of(int dir_fd, const char *tid, const char *helper, const char *worker)
{
	char line[128];

	if (!read_line(dir_fd, tid, "comm", line, sizeof(line)) ||
	    (strcmp(line, helper) != 0 && strcmp(line, worker) != 0) ||
	    !read_line(dir_fd, tid, "schedstat", line, sizeof(line)))
		return 0;
	return strtoull(line, NULL, 10);
}

static uint64_t cost_of_helpers(uint32_t number)
{
	char helper[32], worker[32], entries[2048] __attribute__((aligned(8)));
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t sum = 0;
	ssize_t len;

	if (fd < 0)
		return 0;
	snprintf(helper, sizeof(helper), "tstream-p%02u", number % 100000);
	snprintf(worker, sizeof(worker), "iou-wrk-%d", (int)gettid());
	while ((len = getdents64(fd, entries, sizeof(entries))) > 0) {
		const struct dirent64 *d;

		for (ssize_t at = 0; at < len; at += d->d_reclen) {
			d = (const void *)(entries + at);
			sum += cost_of(fd, d->d_name, helper, worker);
		}
	}
	close(fd);
	return sum;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * TS_NS_PER_SEC + (uint64_t)t->tv_usec * TS_NS_PER_US;
}

void thread_cost_read(uint32_t number, struct thread_cost *ret)
{
	struct rusage usage;

	*ret = (struct thread_cost){.helpers_ns = cost_of_helpers(number)};
	if (getrusage(RUSAGE_THREAD, &usage) < 0)
		return;
	ret->user_ns = timeval_ns(&usage.ru_utime);
	ret->system_ns = timeval_ns(&usage.ru_stime);
}
