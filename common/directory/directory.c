// SPDX-License-Identifier: Apache-2.0
#include "common/directory/directory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory/directory_parts.h"
#include "common/directory/output_place.h"
#include "common/directory/recorder.h"

int ts_dir_check(const char *path, struct ts_error *err)
{
	struct ts_dir d = TS_DIR_INIT;
	int rc = ts_directory_find(&d, path, err);

	if (!rc && faccessat(d.parent_fd, ".", W_OK | X_OK, AT_EACCESS)) {
		ts_error_sys(err, errno, "cannot record into %s: cannot make a directory there",
			     path);
		rc = ts_directory_hint(err);
	}
	ts_dir_release(&d);
	return rc;
}

/* Removes the OUT.new of a killed recorder; refuses that of a recorder that is just starting. */
static int remove_stale(struct ts_dir *d, const struct ts_dir_beside *new, struct ts_error *err)
{
	const int fd =
		openat(d->parent_fd, new->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_locked, is_ours;
	struct stat st;

	if (fd < 0)
		return ts_error_sys(err, errno, "cannot remove %s", new->path);
	is_ours = !fstat(fd, &st) && ts_output_place_is_ours(&st);
	is_locked = is_ours && ts_recorder_holds(fd);
	close(fd);
	if (!is_ours) {
		ts_error_set(err, EEXIST, "cannot record into %s: %s belongs to another user",
			     d->path, new->path);
		return ts_error_hint(err, "name another output with -o");
	}
	if (is_locked)
		return ts_error_set(err, EBUSY,
				    "cannot record into %s: another recording is starting there",
				    d->path);
	return ts_output_place_remove(d->parent_fd, new->name, new->path, err);
}

static int make_new(struct ts_dir *d, struct ts_error *err)
{
	const struct ts_dir_beside new = ts_directory_beside(d, TS_DIR_NEW_SUFFIX);
	int rc = mkdirat(d->parent_fd, new.name, 0700) ? -errno : 0;

	if (rc == -EEXIST) {
		rc = remove_stale(d, &new, err);
		if (rc)
			return rc;
		rc = mkdirat(d->parent_fd, new.name, 0700) ? -errno : 0;
	}
	if (rc) {
		ts_error_sys(err, -rc, "cannot record into %s: cannot make a directory there",
			     d->path);
		return ts_directory_hint(err);
	}
	d->fd = openat(d->parent_fd, new.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0) {
		rc = ts_error_sys(err, errno, "cannot record into %s", d->path);
		unlinkat(d->parent_fd, new.name, AT_REMOVEDIR);
		return rc;
	}
	flock(d->fd, LOCK_EX | LOCK_NB); /* without locks on this filesystem nobody waits for it */
	if (ts_directory_is_at(d, new.name))
		return 0;
	/* Before the lock, another recorder that starts took the directory for a stale one. */
	close(d->fd);
	d->fd = -1;
	return ts_error_set(err, EBUSY,
			    "cannot record into %s: another recording is starting there", d->path);
}

int ts_dir_create(struct ts_dir *ret, const char *path, struct ts_error *err)
{
	int rc;

	*ret = (struct ts_dir)TS_DIR_INIT;
	rc = ts_directory_find(ret, path, err);
	return rc ? rc : make_new(ret, err);
}

int ts_dir_create_next(struct ts_dir *ret, const char *path, const struct ts_dir *present,
		       struct ts_error *err)
{
	struct stat st;
	int rc;

	*ret = (struct ts_dir)TS_DIR_INIT;
	if (!fstat(present->fd, &st))
		ret->present = (struct ts_dir_identity){.dev = st.st_dev, .ino = st.st_ino};
	rc = ts_directory_find(ret, path, err);
	return rc ? rc : make_new(ret, err);
}

int ts_dir_create_stream(struct ts_dir *d, unsigned int n, enum ts_stream_io io,
			 struct ts_stream_file *ret, struct ts_error *err)
{
	struct ts_stream_file file;
	struct stat made, dir;
	char name[32];
	int rc;

	snprintf(name, sizeof(name), TS_DIR_DATA ".%u", n);
	rc = ts_stream_file_create(d->fd, name, d->path, io, &file, err);
	if (rc)
		return rc;
	if (!fstat(file.fd, &made) && !fstat(d->fd, &dir) && made.st_uid == dir.st_uid) {
		*ret = file;
		return 0;
	}
	/* Not compared with this user: some filesystems give all files another owner. */
	ts_stream_file_close(&file);
	unlinkat(d->fd, name, 0);
	return ts_error_set(err, EPERM, "cannot record into %s: another user took its place",
			    d->path);
}

int ts_dir_replace(struct ts_dir *d, const char *name, const void *data, size_t len,
		   struct ts_error *err)
{
	assert(ts_output_place_is_capture_name(name));
	return ts_file_replace(d->fd, name, d->path, data, len, d->syncs, err);
}

#define RESERVE_MORE ((off_t)16 << 10) /* each version of a file is somewhat longer anyway */

static off_t bytes_of(const struct ts_dir *d, const char *name)
{
	struct stat st;

	return fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : st.st_size;
}

void ts_dir_reserve(struct ts_dir *d, uint64_t growth_bytes)
{
	const off_t bytes = bytes_of(d, TS_DIR_DATA) + bytes_of(d, TS_DIR_INFO) + RESERVE_MORE +
			    (off_t)growth_bytes;

	ts_dir_unreserve(d);
	d->reserve_fd = openat(d->fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (d->reserve_fd >= 0 && fallocate(d->reserve_fd, 0, 0, bytes))
		ts_dir_unreserve(d);
}

void ts_dir_unreserve(struct ts_dir *d)
{
	if (d->reserve_fd >= 0)
		close(d->reserve_fd);
	d->reserve_fd = -1;
}

bool ts_dir_is_there(const struct ts_dir *d)
{
	return ts_directory_is_at(d, d->name);
}

bool ts_dir_was_moved(const struct ts_dir *d, char *ret)
{
	char link[32];
	struct stat st;
	ssize_t len;

	if (d->fd < 0 || ts_dir_is_there(d) || fstat(d->fd, &st) || !st.st_nlink)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", d->fd);
	len = readlink(link, ret, PATH_MAX - 1);
	if (len <= 0)
		return false;
	ret[len] = '\0';
	return true;
}

void ts_dir_unlock(struct ts_dir *d)
{
	flock(d->fd, LOCK_UN);
}

void ts_dir_discard(struct ts_dir *d)
{
	struct ts_dir_beside new;
	struct ts_error ignored; /* nothing was promised about what cannot be removed */

	if (d->fd < 0 || !d->path || d->is_published)
		return;
	new = ts_directory_beside(d, TS_DIR_NEW_SUFFIX);
	if (!ts_directory_is_at(d, new.name))
		return;
	ts_output_place_remove(d->parent_fd, new.name, new.path, &ignored);
}

int ts_dir_clear(const char *path, struct ts_error *err)
{
	struct ts_dir d = TS_DIR_INIT;
	struct ts_dir_beside new;
	struct stat st;
	int rc = ts_directory_find(&d, path, err);

	if (!rc) {
		new = ts_directory_beside(&d, TS_DIR_NEW_SUFFIX);
		if (!fstatat(d.parent_fd, new.name, &st, AT_SYMLINK_NOFOLLOW))
			rc = remove_stale(&d, &new, err);
	}
	ts_dir_release(&d);
	return rc;
}

void ts_dir_release(struct ts_dir *d)
{
	if (d->path) { /* otherwise zeroed, and 0 is a descriptor of somebody else */
		if (d->fd >= 0)
			close(d->fd);
		if (d->parent_fd >= 0)
			close(d->parent_fd);
		ts_dir_unreserve(d);
	}
	free(d->path);
	free(d->name);
	*d = (struct ts_dir)TS_DIR_INIT;
}
