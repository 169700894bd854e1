// SPDX-License-Identifier: Apache-2.0
/* The place of a capture, OUT, and its neighbours: looked at, and refused if they must stay. */
#include "common/directory/directory_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/directory/output_place.h"
#include "common/directory/recorder.h"

#define OLDS_MAX 100 /* names for an earlier capture, where others' files have the first ones */

struct ts_dir_beside ts_directory_beside(const struct ts_dir *d, const char *suffix)
{
	struct ts_dir_beside b;

	snprintf(b.name, sizeof(b.name), "%s%s", d->name, suffix);
	snprintf(b.path, sizeof(b.path), "%s%s", d->path, suffix);
	return b;
}

bool ts_directory_is_at(const struct ts_dir *d, const char *name)
{
	struct stat named, ours;

	return !fstatat(d->parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) && !fstat(d->fd, &ours) &&
	       named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

/* Fills path and name; refuses a path that names no entry of a directory. */
static int split_path(struct ts_dir *d, const char *path, struct ts_error *err)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len >= PATH_MAX)
		return ts_error_sys(err, ENAMETOOLONG, "cannot record into %.64s...", path);
	d->path = strndup(path, len);
	if (!d->path)
		return ts_error_sys(err, ENOMEM, "cannot record into %s", path);
	d->name = strdup(ts_path_name(d->path));
	if (!d->name)
		return ts_error_sys(err, ENOMEM, "cannot record into %s", path);
	if (strlen(d->name) > NAME_MAX - strlen(TS_DIR_NEW_SUFFIX))
		return ts_error_sys(err, ENAMETOOLONG, "cannot record into %.64s...", path);
	if (!*d->name || !strcmp(d->name, ".") || !strcmp(d->name, "..")) {
		ts_error_set(err, EINVAL,
			     "cannot record into '%s': it does not name a new directory", path);
		return ts_error_hint(err, "name one with -o, as in -o cap");
	}
	return 0;
}

int ts_directory_hint(struct ts_error *err)
{
	if (err->code == EACCES || err->code == EPERM || err->code == EROFS || err->code == ENOENT)
		ts_error_hint(err, "give -o a path where you may write, as in -o /tmp/cap");
	return -err->code;
}

static int refuse_parent(const struct ts_dir *d, const char *parent, int code, struct ts_error *err)
{
	ts_error_sys(err, code, "cannot record into %s: cannot open %s", d->path, parent);
	if (err->code == ENOENT)
		ts_error_hint(err, "make %s first, or name another place with -o", parent);
	else if (err->code == ENOTDIR)
		ts_error_hint(err, "give -o a path inside an existing directory");
	else
		ts_directory_hint(err);
	return -err->code;
}

static int open_parent(struct ts_dir *d, struct ts_error *err)
{
	char *parent = ts_path_folder(d->path);
	int rc;

	if (!parent)
		return ts_error_sys(err, ENOMEM, "cannot record into %s", d->path);
	d->parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = d->parent_fd < 0 ? refuse_parent(d, parent, errno, err) : 0;
	free(parent);
	return rc;
}

static bool is_present(const struct ts_dir *d, int fd)
{
	struct stat st;

	return d->present.ino && !fstat(fd, &st) && st.st_dev == d->present.dev &&
	       st.st_ino == d->present.ino;
}

/*
 * Refuses a capture that another process writes. `name` is the name of OUT or OUT.old; `what` is
 * its word in the sentence.
 */
static int check_free(const struct ts_dir *d, const char *name, const char *what,
		      struct ts_error *err)
{
	const int fd = openat(d->parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char recorder[TS_RECORDER_TEXT];
	int rc = 0;

	if (fd < 0)
		return 0; /* the next step meets and reports the reason */
	if (!is_present(d, fd) && ts_recorder_holds(fd)) {
		ts_error_set(err, EBUSY, "cannot record into %s: %s is writing %s", d->path,
			     ts_recorder_name(recorder, fd), what);
		rc = ts_error_hint(err, "wait until it has ended, or name another output with -o");
	}
	close(fd);
	return rc;
}

bool ts_directory_is_of_another(const struct ts_dir *d, const char *name)
{
	struct stat st;

	return !fstatat(d->parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       !ts_output_place_is_ours(&st);
}

struct ts_dir_beside ts_directory_old(const struct ts_dir *d)
{
	struct ts_dir_beside old = ts_directory_beside(d, TS_DIR_OLD_SUFFIX);
	char suffix[sizeof(TS_DIR_OLD_SUFFIX) + 16];

	for (int i = 1; i < OLDS_MAX && ts_directory_is_of_another(d, old.name); i++) {
		snprintf(suffix, sizeof(suffix), TS_DIR_OLD_SUFFIX "-%d", i);
		old = ts_directory_beside(d, suffix);
	}
	return old;
}

/* May the capture at OUT become OUT.old? */
static int check_old(const struct ts_dir *d, struct ts_error *err)
{
	const struct ts_dir_beside old = ts_directory_old(d);
	const char *what = "an empty file";
	const int standing = ts_output_place_look(d->parent_fd, old.name, &what);

	if (standing < 0)
		return ts_error_sys(err, -standing, "cannot look at %s", old.path);
	if (standing == TS_STANDS_CAPTURE_DIR) {
		const int rc = check_free(d, old.name, old.path, err);

		return rc ? rc : ts_output_place_check_dir(d->parent_fd, old.name, old.path, err);
	}
	if (standing == TS_STANDS_NOTHING || standing == TS_STANDS_CAPTURE_FILE)
		return 0;
	ts_error_set(err, EEXIST, "cannot keep the capture %s as %s: that is %s", d->path, old.path,
		     what);
	return ts_error_hint(err, "move %s elsewhere, or name another output with -o", old.path);
}

/* A capture at rel is broken by another one at rel/data. */
static int refuse_within(const struct ts_dir *d, struct ts_error *err)
{
	ts_error_set(err, EEXIST, "cannot record into %s: it would be a part of another capture",
		     d->path);
	return ts_error_hint(
		err,
		"give -o another directory: it names the directory of a capture, not a file in it");
}

int ts_directory_look(const struct ts_dir *d, struct ts_error *err)
{
	const char *what;
	const int standing = ts_output_place_look(d->parent_fd, d->name, &what);
	int rc;

	if (standing < 0)
		return ts_error_sys(err, -standing, "cannot record into %s", d->path);
	if (ts_output_place_is_within(d->parent_fd, d->name))
		return refuse_within(d, err);
	if (standing == TS_STANDS_FOREIGN) {
		ts_error_set(err, EEXIST, "cannot record into %s: it is %s", d->path, what);
		return ts_error_hint(err,
				     "only captures are replaced; name another output with -o");
	}
	if (standing != TS_STANDS_CAPTURE_DIR && standing != TS_STANDS_CAPTURE_FILE)
		return standing;
	rc = check_free(d, d->name, "it", err);
	if (!rc)
		rc = check_old(d, err);
	return rc ? rc : standing;
}

int ts_directory_find(struct ts_dir *d, const char *path, struct ts_error *err)
{
	int rc = split_path(d, path, err);

	if (!rc)
		rc = open_parent(d, err);
	if (!rc)
		rc = ts_directory_look(d, err);
	return rc < 0 ? rc : 0;
}
