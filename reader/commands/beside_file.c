// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/beside_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/base/regular.h"
#include "common/directory/output_place.h"

bool beside_file_is_at(int fd, const char *name)
{
	struct stat open, named;

	return !fstat(fd, &open) && !lstat(name, &named) && open.st_ino == named.st_ino &&
	       open.st_dev == named.st_dev;
}

int beside_file_hint(struct ts_error *err)
{
	if (err->code == ENOENT || err->code == ENOTDIR)
		return ts_error_hint(err, "make its directory first, or name another file");
	if (err->code == ENAMETOOLONG)
		return ts_error_hint(err, "give a shorter name");
	if (err->code == EACCES || err->code == EPERM || err->code == EROFS)
		return ts_error_hint(err, "name a file in a directory that this user may write");
	return -err->code;
}

/* The lock is held until the name is gone: no other command can take the same one for a left one. */
static bool remove_left(const char *beside, const struct beside_maker *maker)
{
	const int fd = maker->open(beside);
	struct stat st;
	const bool is_removed = fd >= 0 && !fstat(fd, &st) && ts_output_place_is_ours(&st) &&
				!flock(fd, LOCK_EX | LOCK_NB) && beside_file_is_at(fd, beside) &&
				maker->remove_left(maker->asker, beside, fd);

	if (fd >= 0)
		close(fd);
	return is_removed;
}

/*
 * Makes and locks it. Before it is locked, another command may take it for a left one: then that
 * command has the name. 0 or errno.
 */
static int make_new(struct beside_file *f, const char *beside, const struct beside_maker *maker)
{
	f->fd = maker->make(beside);
	if (f->fd < 0)
		return errno;
	if ((!flock(f->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) &&
	    beside_file_is_at(f->fd, beside))
		return 0;
	close(f->fd);
	f->fd = -1;
	return EEXIST;
}

static int refuse(int code, const char *beside, struct ts_error *err)
{
	ts_error_sys(err, code, "cannot make %s", beside);
	if (code != EEXIST)
		return beside_file_hint(err);
	return ts_error_hint(
		err, "wait until no other tstream writes it; if none does, rename or remove %s",
		beside);
}

int beside_file_make(struct beside_file *f, const char *path, const struct beside_maker *maker,
		     struct ts_error *err)
{
	char *beside;
	int code;

	if (asprintf(&beside, "%s.new", path) < 0)
		return ts_error_sys(err, ENOMEM, "cannot make %s", path);
	code = make_new(f, beside, maker);
	if (code == EEXIST && remove_left(beside, maker))
		code = make_new(f, beside, maker);
	if (code) {
		refuse(code, beside, err);
		free(beside);
		return -code;
	}
	f->beside = beside;
	return 0;
}

/* --- files --- */

struct left_file {
	bool (*is_left)(const char *beside, int fd);
};

static int make_file(const char *beside)
{
	return open(beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int open_file(const char *beside)
{
	return ts_regular_open_path(AT_FDCWD, beside);
}

static bool remove_file(const void *asker, const char *beside, int fd)
{
	const struct left_file *left = asker;

	return left->is_left(beside, fd) && !unlink(beside);
}

int beside_file_create(struct beside_file *f, const char *path,
		       bool (*is_left)(const char *beside, int fd), struct ts_error *err)
{
	const struct left_file left = {is_left};
	const struct beside_maker maker = {make_file, open_file, remove_file, &left};

	return beside_file_make(f, path, &maker, err);
}

void beside_file_sync_parent(const char *path)
{
	char *parent = ts_path_folder(path);
	int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(parent);
}

int beside_file_publish(struct beside_file *f, const char *path, bool replaces,
			struct ts_error *err)
{
	if (fsync(f->fd))
		return ts_error_sys(err, errno, "cannot write %s", path);
	if (!beside_file_is_at(f->fd, f->beside))
		return ts_error_set(err, EBUSY, "cannot write %s: %s is another file by now", path,
				    f->beside);
	/* EINVAL: a filesystem without RENAME_NOREPLACE */
	if (renameat2(AT_FDCWD, f->beside, AT_FDCWD, path, replaces ? 0 : RENAME_NOREPLACE) &&
	    (errno != EINVAL || rename(f->beside, path)))
		return ts_error_sys(err, errno, "cannot rename %s to %s", f->beside, path);
	free(f->beside);
	f->beside = NULL;
	beside_file_sync_parent(path);
	return 0;
}

void beside_file_release(struct beside_file *f)
{
	if (f->beside && beside_file_is_at(f->fd, f->beside))
		unlink(f->beside);
	if (f->fd >= 0)
		close(f->fd);
	free(f->beside);
	*f = (struct beside_file)BESIDE_FILE_NONE;
}
