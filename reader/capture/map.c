// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/regular.h"

/*
 * Kept descriptors start here. The numbers below are free for others, and a pager's pipe may be
 * among them (sigbus.c).
 */
#define KEPT_FIRST 256

/*
 * Keeps a copy of the descriptor, never 0, which means none. The first descriptors, and half of the
 * others, are left to others.
 */
static int keep_file(int fd)
{
	struct rlimit limit;
	int file = fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FIRST);

	if (file < 0)
		return 0;
	if (!getrlimit(RLIMIT_NOFILE, &limit) &&
	    (rlim_t)file < KEPT_FIRST + (limit.rlim_cur - KEPT_FIRST) / 2)
		return file;
	close(file);
	return 0;
}

int map_open_fd(struct map *m, int fd, const char *path, struct ts_error *err)
{
	struct stat st;
	void *data;

	*m = (struct map){0};
	if (fstat(fd, &st))
		return ts_error_sys(err, errno, "cannot read %s", path);
	if (S_ISDIR(st.st_mode))
		return ts_error_set(err, EISDIR, "cannot read %s: it is a directory", path);
	if (!S_ISREG(st.st_mode))
		return ts_error_set(err, EINVAL, "cannot read %s: it is no regular file", path);
	m->changed_ns = (uint64_t)st.st_mtim.tv_sec * TS_NS_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
	if (!st.st_size)
		return 0;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return ts_error_sys(err, errno, "cannot map %s", path);
	m->data = data;
	m->len = (size_t)st.st_size;
	m->fd = keep_file(fd);
	return 0;
}

int map_open(struct map *m, const char *path, struct ts_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	*m = (struct map){0};
	if (fd < 0)
		return ts_error_sys(err, errno, "cannot open %s", path);
	rc = map_open_fd(m, fd, path, err);
	close(fd);
	return rc;
}

int map_open_at(struct map *m, int dir_fd, const char *name, const char *path, struct ts_error *err)
{
	const int fd = ts_regular_open(dir_fd, name);
	int rc;

	*m = (struct map){0};
	if (fd < 0)
		return ts_error_set(err, -fd, "cannot %s %s: %s",
				    fd == -TS_REGULAR_OTHER ? "read" : "open", path,
				    ts_regular_reason(-fd));
	rc = map_open_fd(m, fd, path, err);
	close(fd);
	return rc;
}

int map_open_in(struct map *m, const char *folder, const char *name, struct ts_error *err)
{
	const int dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t len = strlen(folder);
	char *path;
	int rc;

	*m = (struct map){0};
	if (dir_fd < 0)
		return ts_error_sys(err, errno, "cannot open %s", folder);
	while (len > 1 && folder[len - 1] == '/')
		len--;
	if (asprintf(&path, "%.*s/%s", (int)len, folder, name) < 0) {
		close(dir_fd);
		return ts_error_sys(err, ENOMEM, "cannot open %s", folder);
	}
	rc = map_open_at(m, dir_fd, name, path, err);
	free(path);
	close(dir_fd);
	return rc;
}

bool map_can_read(const struct map *m)
{
	return m->fd > 0;
}

int map_read(const struct map *m, uint64_t offset, uint64_t bytes, void *to)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t got =
			pread(m->fd, (uint8_t *)to + done, bytes - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -ENODATA;
		done += (uint64_t)got;
	}
	return 0;
}

/* Both calls are advice: if the kernel ignores it, reading is slower, nothing else. */
void map_read_sparsely(const struct map *m, bool is_sparse)
{
	if (map_can_read(m))
		posix_fadvise(m->fd, 0, 0, is_sparse ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL);
	if (m->data)
		madvise((void *)(uintptr_t)m->data, m->len, is_sparse ? MADV_RANDOM : MADV_NORMAL);
}

void map_prefetch(const struct map *m, uint64_t offset, uint64_t bytes)
{
	uint64_t from = offset & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);

	if (offset < m->len && bytes <= m->len - offset)
		madvise((void *)(uintptr_t)(m->data + from), offset + bytes - from, MADV_WILLNEED);
}

/* The map of a test may be no mapping. */
void map_give_back(const struct map *m, uint64_t offset, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = offset & ~(page - 1);

	if (m->data && (uintptr_t)m->data % page == 0 && offset < m->len &&
	    bytes <= m->len - offset)
		madvise((void *)(uintptr_t)(m->data + from), offset + bytes - from, MADV_DONTNEED);
}

void map_close(struct map *m)
{
	if (m->data)
		munmap((void *)(uintptr_t)m->data, m->len);
	if (map_can_read(m))
		close(m->fd);
	*m = (struct map){0};
}
