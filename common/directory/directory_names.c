// SPDX-License-Identifier: Apache-2.0
/* A capture gets its names: OUT, OUT.old, OUT.STAMP. */
#include "common/directory/directory_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory/output_place.h"

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
	const struct ts_dir_beside old = ts_directory_old(d);
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
static int check_new(const struct ts_dir *d, const struct ts_dir_beside *new, struct ts_error *err)
{
	if (ts_directory_is_at(d, new->name))
		return 0;
	return ts_error_set(err, ENOENT, "cannot rename %s to %s: it was moved or removed",
			    new->path, d->path);
}

/* The capture that ts_dir_publish() kept gets its name back. */
static void give_back_old(struct ts_dir *d)
{
	if (*d->kept)
		rename_to_free(d->parent_fd, ts_directory_beside(d, d->kept).name, d->name);
	*d->kept = '\0';
}

int ts_dir_publish(struct ts_dir *d, struct ts_error *err)
{
	const struct ts_dir_beside new = ts_directory_beside(d, TS_DIR_NEW_SUFFIX);
	int rc = check_new(d, &new, err);

	if (!rc)
		rc = ts_directory_look(d, err);
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
	if (!*d->kept || !strcmp(d->kept, TS_DIR_OLD_SUFFIX))
		return NULL;
	snprintf(text, TS_DIR_KEPT_TEXT,
		 "%s" TS_DIR_OLD_SUFFIX
		 " belongs to another user: the capture that was at %s is now %s%s",
		 d->path, d->path, d->path, d->kept);
	return text;
}

void ts_dir_withdraw(struct ts_dir *d)
{
	struct ts_error ignored; /* nothing was promised */

	if (!d->is_published || !ts_dir_is_there(d) ||
	    ts_output_place_check_dir(d->parent_fd, d->name, d->path, &ignored) ||
	    rename_to_free(d->parent_fd, d->name, ts_directory_beside(d, TS_DIR_NEW_SUFFIX).name))
		return;
	d->is_published = false;
	give_back_old(d);
}

int ts_dir_supersede(struct ts_dir *d, struct ts_error *err)
{
	const struct ts_dir_beside new = ts_directory_beside(d, TS_DIR_NEW_SUFFIX);

	int rc;

	if (ts_output_place_look(d->parent_fd, d->name, NULL) != TS_STANDS_CAPTURE_DIR)
		return ts_dir_publish(d, err);
	rc = check_new(d, &new, err);
	if (rc)
		return rc;
	if (ts_directory_is_of_another(d, d->name)) {
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
	int rc = ts_directory_find(&d, out, err);

	if (!rc)
		rc = ts_directory_look(&d, err);
	if (rc >= 0)
		rc = clear_place(&d, rc, err);
	if (!rc &&
	    (rc = rename_to_free(d.parent_fd, ts_directory_beside(&d, suffix).name, d.name)) < 0)
		ts_error_sys(err, -rc, "cannot rename %s%s to %s", d.path, suffix, d.path);
	if (!rc && !ts_dir_tell_kept(&d, ret_kept))
		*ret_kept = '\0';
	ts_dir_release(&d);
	return rc;
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
