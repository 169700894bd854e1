// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/merge_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "common/directory/output_place.h"
#include "reader/runtime/temporary_file.h"

#define STDOUT_NAME "standard output"
#define COPY_BYTES  65536

/* --- what is there --- */

static int refuse_form(const struct merge_output *o, struct ts_error *err)
{
	ts_error_set(err, EEXIST,
		     o->is_single ? "cannot extend %s with --single: it is a directory"
				  : "cannot extend %s: it is a single file",
		     o->path);
	return ts_error_hint(err, o->is_single
					  ? "leave --single out, or name another output with -o"
					  : "give --single, or name another output with -o");
}

/* Links and devices, too, are no captures, and a result in their place would surprise their users. */
static int refuse_foreign(const struct merge_output *o, const char *what, struct ts_error *err)
{
	ts_error_set(err, EEXIST, "cannot merge into %s: it is %s", o->path, what);
	return ts_error_hint(
		err, o->is_single ? "name another output with -o; -o - writes to " STDOUT_NAME
				  : "name another output with -o");
}

/* Its owner would lose it; only OUT.old of a recording keeps what stood there. */
static int refuse_owner(const struct merge_output *o, struct ts_error *err)
{
	ts_error_set(err, EPERM, "cannot extend %s: it belongs to another user", o->path);
	return ts_error_hint(err, "name another output with -o");
}

/* Refuses a part with a name beside OUT: making OUT removes remains of an earlier try there. */
static int refuse_part(const struct merge_output *o, const char *suffix, const char *part,
		       struct ts_error *err)
{
	struct stat theirs, ours;
	char *beside;
	bool is_it;

	if (asprintf(&beside, "%s%s", o->path, suffix) < 0)
		return ts_error_sys(err, ENOMEM, "cannot merge into %s", o->path);
	is_it = !stat(beside, &ours) && !stat(part, &theirs) && ours.st_ino == theirs.st_ino &&
		ours.st_dev == theirs.st_dev;
	free(beside);
	if (!is_it)
		return 0;
	ts_error_set(err, EEXIST,
		     "cannot merge %s into %s: the output needs that name while it is made", part,
		     o->path);
	return ts_error_hint(err, "rename %s first, or name another output with -o", part);
}

static size_t length_of(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* Fills `extends` and `stands`; `is_file`: OUT is to be a file. */
static int look_at_out(struct merge_output *o, bool is_file, struct ts_error *err)
{
	const char *what;
	const int standing = ts_output_place_look(AT_FDCWD, o->path, &what);
	struct stat st;
	bool is_dir;

	if (standing < 0)
		return ts_error_sys(err, -standing, "cannot merge into %s", o->path);
	if (standing == TS_STANDS_NOTHING || standing == TS_STANDS_EMPTY_FILE)
		return 0;
	if (fstatat(AT_FDCWD, o->path, &st, AT_SYMLINK_NOFOLLOW))
		return ts_error_sys(err, errno, "cannot merge into %s", o->path);
	is_dir = S_ISDIR(st.st_mode);
	if (standing == TS_STANDS_FOREIGN && !is_dir && !(S_ISREG(st.st_mode) && st.st_size))
		return refuse_foreign(o, what, err);
	if (standing == TS_STANDS_EMPTY_DIR && !is_file)
		return 0;
	if (is_dir == o->is_single)
		return refuse_form(o, err);
	if (!ts_output_place_is_ours(&st))
		return refuse_owner(o, err);
	o->extends = true;
	o->stands = st;
	return 0;
}

static int check_stdout(struct merge_output *o, struct ts_error *err)
{
	o->to_fd = STDOUT_FILENO;
	o->path = STDOUT_NAME;
	if (!o->is_single) {
		ts_error_set(err, EINVAL,
			     "cannot merge into " STDOUT_NAME ": it takes no directory");
		return ts_error_hint(err, "give --single to make one file");
	}
	if (!isatty(STDOUT_FILENO))
		return 0;
	ts_error_set(err, EINVAL, "cannot merge into " STDOUT_NAME ": it is a terminal");
	return ts_error_hint(err, "redirect it to a file or a pipe, or name a file with -o");
}

int merge_output_init(struct merge_output *o, const char *path, bool is_single,
		      const char *const *parts, size_t nr_parts, struct ts_error *err)
{
	int rc = 0;

	*o = (struct merge_output){.path = path,
				   .is_single = is_single,
				   .dir = TS_DIR_INIT,
				   .file = BESIDE_FILE_NONE,
				   .to_fd = -1};
	if (!strcmp(path, "-"))
		return check_stdout(o, err);
	if (path[length_of(path)])
		is_single = false; /* "cap/" cannot be a file */
	rc = look_at_out(o, is_single, err);
	for (size_t i = 0; !rc && i < nr_parts; i++)
		rc = refuse_part(o, ".new", parts[i], err);
	if (rc || is_single)
		return rc;
	rc = ts_dir_check(path, err);
	/* what stands there is removed once the new capture is in its place */
	return rc || !o->extends ? rc : ts_output_place_check_dir(AT_FDCWD, path, path, err);
}

/* --- a single file --- */

/* A killed merge leaves such a file. */
static bool is_of_merge(const char *beside, int fd)
{
	const int standing = ts_output_place_look(AT_FDCWD, beside, NULL);

	(void)fd;
	return standing == TS_STANDS_CAPTURE_FILE || standing == TS_STANDS_EMPTY_FILE;
}

/* --- standard output --- */

static int create_nameless(struct merge_output *o, struct ts_error *err)
{
	o->file.fd = temporary_file_open(temporary_folder());
	return o->file.fd < 0
		       ? ts_error_sys(err, errno, "cannot make a file in %s", temporary_folder())
		       : 0;
}

static int publish_stdout(const struct merge_output *o, struct ts_error *err)
{
	uint8_t block[COPY_BYTES];
	ssize_t got;
	int rc = 0;

	for (off_t at = 0; !rc && (got = pread(o->file.fd, block, sizeof(block), at)); at += got)
		rc = got < 0 ? -errno : ts_file_write_all(o->to_fd, block, (size_t)got);
	return rc ? ts_error_sys(err, -rc, "cannot write to " STDOUT_NAME) : 0;
}

/* --- all --- */

int merge_output_create(struct merge_output *o, struct ts_error *err)
{
	if (o->to_fd >= 0)
		return create_nameless(o, err);
	return o->is_single ? beside_file_create(&o->file, o->path, is_of_merge, err)
			    : ts_dir_create(&o->dir, o->path, err);
}

/* Refuses to publish if OUT has changed: its new contents were not merged and would be lost. */
static int check_place(const struct merge_output *o, bool *ret_stands, struct ts_error *err)
{
	const int standing = ts_output_place_look(AT_FDCWD, o->path, NULL);
	struct stat now;
	const bool stands = !lstat(o->path, &now);

	*ret_stands = stands;
	if (o->extends && stands && now.st_ino == o->stands.st_ino &&
	    now.st_dev == o->stands.st_dev)
		return 0;
	/* A directory is looked at again where it is replaced. */
	if (!o->extends && (!stands || standing == TS_STANDS_EMPTY_FILE || S_ISDIR(now.st_mode)))
		return 0;
	return ts_error_set(err, EBUSY, "cannot merge into %s: it was changed during the merge",
			    o->path);
}

int merge_output_publish(struct merge_output *o, struct ts_error *err)
{
	bool stands;
	int rc;

	if (o->to_fd >= 0)
		return publish_stdout(o, err);
	rc = check_place(o, &stands, err);
	if (rc)
		return rc;
	if (o->is_single)
		return beside_file_publish(&o->file, o->path, stands, err);
	return o->extends ? ts_dir_supersede(&o->dir, err) : ts_dir_publish(&o->dir, err);
}

void merge_output_release(struct merge_output *o)
{
	if (!o->path)
		return;
	ts_dir_discard(&o->dir);
	ts_dir_release(&o->dir);
	beside_file_release(&o->file);
	*o = (struct merge_output){0};
}
