// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/beside_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/directory/output_place.h"

static bool is_left(const char *beside, bool (*is_ours)(const char *beside, int fd))
{
	int fd = ts_regular_open_path(AT_FDCWD, beside);
	struct stat st;
	bool is_free = fd >= 0 && !fstat(fd, &st) && ts_output_place_is_ours(&st) &&
		       !flock(fd, LOCK_EX | LOCK_NB) && is_ours(beside, fd);

	if (fd >= 0)
		close(fd);
	return is_free;
}

int beside_file_create(struct beside_file *f, const char *path,
		       bool (*is_ours)(const char *beside, int fd), struct ts_error *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char *beside;
	int code;

	if (asprintf(&beside, "%s.new", path) < 0)
		return ts_error_sys(err, ENOMEM, "cannot make %s", path);
	f->fd = open(beside, flags, 0600);
	code = f->fd < 0 ? errno : 0;
	if (code == EEXIST && is_left(beside, is_ours) && !unlink(beside)) {
		f->fd = open(beside, flags, 0600);
		code = f->fd < 0 ? errno : 0;
	}
	if (code) {
		ts_error_sys(err, code, "cannot make %s", beside);
		free(beside);
		return -code;
	}
	f->beside = beside;
	flock(f->fd, LOCK_EX | LOCK_NB);
	return 0;
}

/* Syncs the parent directory: the name must reach the disk like the file. */
static void sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *parent =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(parent);
}

/* EINVAL: a filesystem without RENAME_NOREPLACE. */
int beside_file_publish(struct beside_file *f, const char *path, bool replaces,
			struct ts_error *err)
{
	if (fsync(f->fd))
		return ts_error_sys(err, errno, "cannot write %s", path);
	if (renameat2(AT_FDCWD, f->beside, AT_FDCWD, path, replaces ? 0 : RENAME_NOREPLACE) &&
	    (errno != EINVAL || rename(f->beside, path)))
		return ts_error_sys(err, errno, "cannot rename %s to %s", f->beside, path);
	free(f->beside);
	f->beside = NULL;
	sync_parent(path);
	return 0;
}

void beside_file_release(struct beside_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->beside)
		unlink(f->beside);
	free(f->beside);
	*f = (struct beside_file)BESIDE_FILE_NONE;
}
