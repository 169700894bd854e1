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

#include "common/directory/output_place.h"
#include "common/directory/recorder.h"

#define OLD_SUFFIX ".old"
#define NEW_SUFFIX ".new"
#define OLDS_MAX   100 /* names for an earlier capture, where others' files have the first ones */

/* Names beside the capture: NAME_MAX and a suffix. The kernel itself refuses longer ones. */
struct beside {
	char name[NAME_MAX + 64];
	char path[PATH_MAX + 64];
};

static struct beside name_beside(const struct ts_dir *d, const char *suffix)
{
	struct beside b;

	snprintf(b.name, sizeof(b.name), "%s%s", d->name, suffix);
	snprintf(b.path, sizeof(b.path), "%s%s", d->path, suffix);
	return b;
}

/* --- finding the place --- */

/* Fills path and name; refuses a path that names no entry of a directory. */
static int split_path(struct ts_dir *d, const char *path, struct ts_error *err)
{
	size_t len = strlen(path);
	const char *slash;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len >= PATH_MAX)
		return ts_error_sys(err, ENAMETOOLONG, "cannot record into %.64s...", path);
	d->path = strndup(path, len);
	if (!d->path)
		return ts_error_sys(err, ENOMEM, "cannot record into %s", path);
	slash = strrchr(d->path, '/');
	d->name = strdup(slash ? slash + 1 : d->path);
	if (!d->name)
		return ts_error_sys(err, ENOMEM, "cannot record into %s", path);
	if (strlen(d->name) > NAME_MAX - strlen(NEW_SUFFIX))
		return ts_error_sys(err, ENAMETOOLONG, "cannot record into %.64s...", path);
	if (!*d->name || !strcmp(d->name, ".") || !strcmp(d->name, "..")) {
		ts_error_set(err, EINVAL,
			     "cannot record into '%s': it does not name a new directory", path);
		return ts_error_hint(err, "name one with -o, as in -o cap");
	}
	return 0;
}

/* Adds a hint to errors that only another place can solve. */
static int hint_unwritable(struct ts_error *err)
{
	if (err->code == EACCES || err->code == EPERM || err->code == EROFS || err->code == ENOENT)
		ts_error_hint(err, "give -o a path where you may write, as in -o /tmp/cap");
	return -err->code;
}

static int open_parent(struct ts_dir *d, struct ts_error *err)
{
	const char *slash = strrchr(d->path, '/');
	char parent[PATH_MAX];

	if (!slash)
		strcpy(parent, ".");
	else
		snprintf(parent, sizeof(parent), "%.*s",
			 slash == d->path ? 1 : (int)(slash - d->path), d->path);
	d->parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->parent_fd >= 0)
		return 0;
	ts_error_sys(err, errno, "cannot record into %s: cannot open %s", d->path, parent);
	if (err->code == ENOENT)
		ts_error_hint(err, "make %s first, or name another place with -o", parent);
	else if (err->code == ENOTDIR)
		ts_error_hint(err, "give -o a path inside an existing directory");
	else
		hint_unwritable(err);
	return -err->code;
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

static bool is_of_another(const struct ts_dir *d, const char *name)
{
	struct stat st;

	return !fstatat(d->parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       !ts_output_place_is_ours(&st);
}

/*
 * The name that an earlier capture is kept under: OUT.old. A file of another user there stays as it
 * is, whatever it is, and OUT.old-1, OUT.old-2 ... takes its place.
 */
static struct beside name_old(const struct ts_dir *d)
{
	struct beside old = name_beside(d, OLD_SUFFIX);
	char suffix[sizeof(OLD_SUFFIX) + 16];

	for (int i = 1; i < OLDS_MAX && is_of_another(d, old.name); i++) {
		snprintf(suffix, sizeof(suffix), OLD_SUFFIX "-%d", i);
		old = name_beside(d, suffix);
	}
	return old;
}

/* May the capture at OUT become OUT.old? */
static int check_old(const struct ts_dir *d, struct ts_error *err)
{
	const struct beside old = name_old(d);
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

/*
 * Looks at OUT and returns its enum ts_output_place, if it may be replaced; otherwise -errno with
 * the sentence.
 */
static int look_at_out(const struct ts_dir *d, struct ts_error *err)
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

static int find_place(struct ts_dir *d, const char *path, struct ts_error *err)
{
	int rc = split_path(d, path, err);

	if (!rc)
		rc = open_parent(d, err);
	if (!rc)
		rc = look_at_out(d, err);
	return rc < 0 ? rc : 0;
}

int ts_dir_check(const char *path, struct ts_error *err)
{
	struct ts_dir d = TS_DIR_INIT;
	int rc = find_place(&d, path, err);

	if (!rc && faccessat(d.parent_fd, ".", W_OK | X_OK, AT_EACCESS)) {
		ts_error_sys(err, errno, "cannot record into %s: cannot make a directory there",
			     path);
		rc = hint_unwritable(err);
	}
	ts_dir_release(&d);
	return rc;
}

/* --- making it --- */

/* Removes the OUT.new of a killed recorder; refuses that of a recorder that is just starting. */
static int remove_stale(struct ts_dir *d, const struct beside *new, struct ts_error *err)
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

/* Does this name beside OUT still name our directory? */
static bool is_at(const struct ts_dir *d, const char *name)
{
	struct stat named, ours;

	return !fstatat(d->parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) && !fstat(d->fd, &ours) &&
	       named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

static int make_new(struct ts_dir *d, struct ts_error *err)
{
	const struct beside new = name_beside(d, NEW_SUFFIX);
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
		return hint_unwritable(err);
	}
	d->fd = openat(d->parent_fd, new.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0) {
		rc = ts_error_sys(err, errno, "cannot record into %s", d->path);
		unlinkat(d->parent_fd, new.name, AT_REMOVEDIR);
		return rc;
	}
	flock(d->fd, LOCK_EX | LOCK_NB); /* without locks on this filesystem nobody waits for it */
	if (is_at(d, new.name))
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
	rc = find_place(ret, path, err);
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
	rc = find_place(ret, path, err);
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

/* --- showing it --- */

/* Renames below parent_fd, never onto a name that appeared meanwhile. 0 or -errno. */
static int rename_to_free(int parent_fd, const char *from, const char *to)
{
	struct stat st;

	if (!renameat2(parent_fd, from, parent_fd, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL) /* EINVAL: a filesystem without that flag */
		return -errno;
	if (!fstatat(parent_fd, to, &st, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(parent_fd, from, parent_fd, to) ? -errno : 0;
}

/* Makes the capture at OUT OUT.old, in the place of an earlier one. */
static int keep_as_old(struct ts_dir *d, struct ts_error *err)
{
	const struct beside old = name_old(d);
	const int standing = ts_output_place_look(d->parent_fd, old.name, NULL);
	int rc = 0;

	if (standing == TS_STANDS_CAPTURE_DIR || standing == TS_STANDS_CAPTURE_FILE)
		rc = ts_output_place_remove(d->parent_fd, old.name, old.path, err);
	if (rc)
		return rc;
	rc = rename_to_free(d->parent_fd, d->name, old.name);
	if (rc)
		return ts_error_sys(err, -rc, "cannot keep the capture %s as %s", d->path,
				    old.path);
	snprintf(d->kept, sizeof(d->kept), "%s", old.name + strlen(d->name));
	return 0;
}

static int clear_place(struct ts_dir *d, int standing, struct ts_error *err)
{
	switch (standing) {
	case TS_STANDS_CAPTURE_DIR:
	case TS_STANDS_CAPTURE_FILE:
		return keep_as_old(d, err);
	case TS_STANDS_EMPTY_FILE:
		if (unlinkat(d->parent_fd, d->name, 0))
			return ts_error_sys(err, errno, "cannot replace %s", d->path);
		return 0;
	case TS_STANDS_EMPTY_DIR:
		if (unlinkat(d->parent_fd, d->name, AT_REMOVEDIR))
			return ts_error_sys(err, errno, "cannot replace %s", d->path);
		return 0;
	default:
		return 0;
	}
}

/* Syncs the shown directory; on failure it gets its name `hidden` back. */
static int sync_shown(struct ts_dir *d, const char *hidden, struct ts_error *err)
{
	int rc;

	if (!d->syncs || (!fsync(d->fd) && !fsync(d->parent_fd)))
		return 0;
	rc = ts_error_sys(err, errno, "cannot sync %s to the disk", d->path);
	rename_to_free(d->parent_fd, d->name, hidden);
	return rc;
}

/* Refuses to show a directory that took the name of ours meanwhile. */
static int check_new(const struct ts_dir *d, const struct beside *new, struct ts_error *err)
{
	if (is_at(d, new->name))
		return 0;
	return ts_error_set(err, ENOENT, "cannot rename %s to %s: it was moved or removed",
			    new->path, d->path);
}

/* The capture that ts_dir_publish() kept gets its name back. */
static void give_back_old(struct ts_dir *d)
{
	if (*d->kept)
		rename_to_free(d->parent_fd, name_beside(d, d->kept).name, d->name);
	*d->kept = '\0';
}

int ts_dir_publish(struct ts_dir *d, struct ts_error *err)
{
	const struct beside new = name_beside(d, NEW_SUFFIX);
	int rc = check_new(d, &new, err);

	if (!rc)
		rc = look_at_out(d, err);
	if (rc >= 0)
		rc = clear_place(d, rc, err);
	if (rc)
		return rc;
	rc = rename_to_free(d->parent_fd, new.name, d->name);
	if (rc)
		ts_error_sys(err, -rc, "cannot rename %s to %s", new.path, d->path);
	else
		rc = sync_shown(d, new.name, err);
	d->is_published = !rc;
	if (rc)
		give_back_old(d);
	return rc;
}

const char *ts_dir_tell_kept(const struct ts_dir *d, char text[TS_DIR_KEPT_TEXT])
{
	if (!*d->kept || !strcmp(d->kept, OLD_SUFFIX))
		return NULL;
	snprintf(text, TS_DIR_KEPT_TEXT,
		 "%s" OLD_SUFFIX " belongs to another user: the capture that was at %s is now %s%s",
		 d->path, d->path, d->path, d->kept);
	return text;
}

void ts_dir_withdraw(struct ts_dir *d)
{
	struct ts_error ignored; /* nothing was promised */

	if (!d->is_published || !ts_dir_is_there(d) ||
	    ts_output_place_check_dir(d->parent_fd, d->name, d->path, &ignored) ||
	    rename_to_free(d->parent_fd, d->name, name_beside(d, NEW_SUFFIX).name))
		return;
	d->is_published = false;
	give_back_old(d);
}

int ts_dir_supersede(struct ts_dir *d, struct ts_error *err)
{
	const struct beside new = name_beside(d, NEW_SUFFIX);

	int rc;

	if (ts_output_place_look(d->parent_fd, d->name, NULL) != TS_STANDS_CAPTURE_DIR)
		return ts_dir_publish(d, err);
	rc = check_new(d, &new, err);
	if (rc)
		return rc;
	if (is_of_another(d, d->name)) {
		ts_error_set(err, EPERM, "cannot replace %s: it belongs to another user", d->path);
		return ts_error_hint(err, "name another output with -o");
	}
	if (d->syncs && fsync(d->fd))
		return ts_error_sys(err, errno, "cannot sync %s to the disk", d->path);
	if (renameat2(d->parent_fd, new.name, d->parent_fd, d->name, RENAME_EXCHANGE)) {
		ts_error_sys(err, errno, "cannot put %s in the place of %s", new.path, d->path);
		return ts_error_hint(err, "name another output with -o");
	}
	d->is_published = true;
	if (d->syncs && fsync(d->parent_fd)) /* the former one stays until this one is safe */
		return ts_error_sys(err, errno, "cannot sync %s to the disk", d->path);
	return ts_output_place_remove(d->parent_fd, new.name, new.path, err);
}

int ts_dir_rename(const char *out, const char *suffix, char ret_kept[TS_DIR_KEPT_TEXT],
		  struct ts_error *err)
{
	struct ts_dir d = TS_DIR_INIT;
	int rc = find_place(&d, out, err);

	if (!rc)
		rc = look_at_out(&d, err);
	if (rc >= 0)
		rc = clear_place(&d, rc, err);
	if (!rc && (rc = rename_to_free(d.parent_fd, name_beside(&d, suffix).name, d.name)) < 0)
		ts_error_sys(err, -rc, "cannot rename %s%s to %s", d.path, suffix, d.path);
	if (!rc && !ts_dir_tell_kept(&d, ret_kept))
		*ret_kept = '\0';
	ts_dir_release(&d);
	return rc;
}

bool ts_dir_is_there(const struct ts_dir *d)
{
	return is_at(d, d->name);
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

#define STAMPS_MAX 1000 /* directories with the same stamp */

int ts_dir_rename_numbered(int parent_fd, const char *from, char *to, size_t bytes)
{
	const size_t len = strlen(to);
	int rc = -EEXIST;

	for (int i = 0; i < STAMPS_MAX && rc == -EEXIST; i++) {
		if (i)
			snprintf(to + len, bytes - len, "-%d", i);
		rc = rename_to_free(parent_fd, from, to);
	}
	return rc;
}

int ts_dir_stamp(struct ts_dir *d, const char *stamp, struct ts_error *err)
{
	char stamped[NAME_MAX + 64], *path = NULL, *name = NULL;
	const char *suffix = stamped + strlen(d->name);
	int rc;

	if (!ts_dir_is_there(d))
		return ts_error_set(err, ENOENT, "cannot rename %s: it was moved or removed",
				    d->path);
	if (fsync(d->fd))
		return ts_error_sys(err, errno, "cannot sync %s to the disk", d->path);
	snprintf(stamped, sizeof(stamped), "%s.%s", d->name, stamp);
	rc = ts_dir_rename_numbered(d->parent_fd, d->name, stamped, sizeof(stamped));
	if (rc)
		return ts_error_sys(err, -rc, "cannot rename %s to %s.%s", d->path, d->path, stamp);
	if (fsync(d->parent_fd))
		return ts_error_sys(err, errno, "cannot sync %s%s to the disk", d->path, suffix);
	name = strdup(stamped);
	if (!name || asprintf(&path, "%s%s", d->path, suffix) < 0) {
		free(name);
		return ts_error_sys(err, ENOMEM, "cannot remember %s%s", d->path, suffix);
	}
	free(d->path);
	free(d->name);
	d->path = path;
	d->name = name;
	return 0;
}

void ts_dir_unlock(struct ts_dir *d)
{
	flock(d->fd, LOCK_UN);
}

void ts_dir_discard(struct ts_dir *d)
{
	struct beside new;
	struct ts_error ignored; /* nothing was promised about what cannot be removed */

	if (d->fd < 0 || !d->path || d->is_published)
		return;
	new = name_beside(d, NEW_SUFFIX);
	if (!is_at(d, new.name))
		return;
	ts_output_place_remove(d->parent_fd, new.name, new.path, &ignored);
}

int ts_dir_clear(const char *path, struct ts_error *err)
{
	struct ts_dir d = TS_DIR_INIT;
	struct beside new;
	struct stat st;
	int rc = find_place(&d, path, err);

	if (!rc) {
		new = name_beside(&d, NEW_SUFFIX);
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
