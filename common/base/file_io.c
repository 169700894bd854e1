// SPDX-License-Identifier: Apache-2.0
#include "common/base/file_io.h"
#include "common/base/min_max.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

#define LEAST_ALIGN 4096u
#define MOST_ALIGN  (1u << 20)

int ts_file_hint_write(struct ts_error *err, const char *before)
{
	if (err->code == EFBIG)
		return ts_error_hint(err, "%sallow larger files: 'ulimit -f'", before);
	if (err->code == ENOSPC || err->code == EDQUOT)
		return ts_error_hint(err, "%smake room, or choose another filesystem with -o",
				     before);
	return -err->code;
}

int ts_file_write_all(int fd, const void *data, size_t len)
{
	const uint8_t *at = data;

	while (len) {
		const ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int ts_file_write_all_at(int fd, const void *data, size_t len, off_t at)
{
	const uint8_t *from = data;

	while (len) {
		const ssize_t n = pwrite(fd, from, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Creates tmp with these bytes; removes an earlier file of that name first. 0 or -errno. */
static int write_new(int dirfd, const char *tmp, const void *data, size_t len, bool sync)
{
	int fd, rc;

	if (unlinkat(dirfd, tmp, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = ts_file_write_all(fd, data, len);
	if (!rc && sync && fsync(fd))
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

int ts_file_replace(int dirfd, const char *name, const char *where, const void *data, size_t len,
		    bool sync, struct ts_error *err)
{
	char tmp[64];
	int rc;

	if (snprintf(tmp, sizeof(tmp), "tmp-%s", name) >= (int)sizeof(tmp))
		return ts_error_sys(err, ENAMETOOLONG, "cannot write %s/%s", where, name);
	rc = write_new(dirfd, tmp, data, len, sync);
	if (!rc && renameat(dirfd, tmp, dirfd, name))
		rc = -errno;
	if (!rc && sync && fsync(dirfd))
		return ts_error_sys(err, errno, "cannot sync %s to the disk", where);
	if (!rc)
		return 0;
	unlinkat(dirfd, tmp, 0);
	ts_error_sys(err, -rc, "cannot write %s/%s", where, name);
	return ts_file_hint_write(err, "");
}

/* Is a direct write on this filesystem whole or absent after a kill? Only these were tested. */
static bool is_known_for_direct(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	return fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC;
}

/* The alignment of direct I/O on this file; 0: the file allows no direct I/O. */
static size_t direct_align(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) &&
	    (stx.stx_mask & STATX_DIOALIGN)) {
		const size_t memory = stx.stx_dio_mem_align, offset = stx.stx_dio_offset_align;
		const size_t most = ts_max(memory, offset);

		if (!offset || most > MOST_ALIGN || (most & (most - 1)))
			return 0;
		return ts_max(most, LEAST_ALIGN);
	}
#endif
	(void)fd;
	return LEAST_ALIGN; /* before Linux 6.1: no device in use wants more than a page */
}

/* Sets O_DIRECT on filesystems where a direct write is whole or absent. */
static void try_direct(struct ts_stream_file *f)
{
	const size_t align = is_known_for_direct(f->fd) ? direct_align(f->fd) : 0;
	const int flags = fcntl(f->fd, F_GETFL);

	if (!align || flags < 0 || fcntl(f->fd, F_SETFL, flags | O_DIRECT))
		return;
	f->direct = true;
	f->align = align;
}

int ts_stream_file_create(int dirfd, const char *name, const char *where, enum ts_stream_io io,
			  struct ts_stream_file *ret, struct ts_error *err)
{
	struct ts_stream_file f = {.align = LEAST_ALIGN};

	f.fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (f.fd < 0)
		return ts_error_sys(err, errno, "cannot create %s/%s", where, name);
	if (io == TS_STREAM_AUTO)
		try_direct(&f);
	*ret = f;
	return 0;
}

void ts_stream_file_close(struct ts_stream_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}
