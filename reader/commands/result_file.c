// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "common/base/regular.h"
#include "common/directory/output_place.h"

#define MARK	    "user.tstream.result"
#define STDOUT_NAME "standard output"

/* --- what is there --- */

/* Is it a result, or empty? An empty file loses nothing. */
static bool is_result(const char *path, int fd)
{
	struct stat st;

	(void)path;
	return fgetxattr(fd, MARK, NULL, 0) >= 0 || (!fstat(fd, &st) && !st.st_size);
}

static int refuse(const struct result_file *f, const char *why, struct ts_error *err)
{
	ts_error_set(err, EEXIST, "cannot write %s: %s", f->path, why);
	return ts_error_hint(err, "name another file");
}

static int refuse_file(const struct result_file *f, struct ts_error *err)
{
	ts_error_set(err, EEXIST,
		     "cannot write %s: it exists, and is no picture or export of tstream", f->path);
	return ts_error_hint(err, "give --force to replace it, or name another file");
}

/* May the file at the path be replaced? Only its user's own regular file. */
static int check_standing(const struct result_file *f, struct ts_error *err)
{
	int fd;
	bool may;

	if (S_ISDIR(f->was.st_mode))
		return refuse(f, "it is a directory", err);
	if (S_ISLNK(f->was.st_mode))
		return refuse(f, "it is a link", err);
	if (!S_ISREG(f->was.st_mode))
		return refuse(f, "it is no regular file", err);
	if (!ts_output_place_is_ours(&f->was))
		return refuse(f, "it belongs to another user", err);
	if (f->is_forced)
		return 0;
	fd = ts_regular_open_path(AT_FDCWD, f->path);
	if (fd < 0)
		return ts_error_sys(err, -fd, "cannot write %s", f->path);
	may = is_result(f->path, fd);
	close(fd);
	return may ? 0 : refuse_file(f, err);
}

static int look(struct result_file *f, struct ts_error *err)
{
	f->stands = !lstat(f->path, &f->was);
	if (f->stands)
		return check_standing(f, err);
	return errno == ENOENT ? 0 : ts_error_sys(err, errno, "cannot write %s", f->path);
}

/* --- making --- */

static int open_stdout(struct result_file *f, struct ts_error *err)
{
	f->path = STDOUT_NAME;
	f->to_stdout = true;
	if (!isatty(STDOUT_FILENO))
		return 0;
	ts_error_set(err, EINVAL, "cannot write to " STDOUT_NAME ": it is a terminal");
	return ts_error_hint(err, "redirect it to a file or a pipe, or name a file");
}

int result_file_open(struct result_file *f, const char *path, bool is_forced, struct ts_error *err)
{
	int rc;

	*f = (struct result_file){.path = path, .file = BESIDE_FILE_NONE, .is_forced = is_forced};
	if (!strcmp(path, "-"))
		return open_stdout(f, err);
	rc = look(f, err);
	if (!rc)
		rc = beside_file_create(&f->file, path, is_result, err);
	/* without attributes on this filesystem, the next one needs --force */
	if (!rc)
		(void)fsetxattr(f->file.fd, MARK, "1", 1, 0);
	return rc;
}

int result_file_write(struct result_file *f, const void *bytes, size_t len, struct ts_error *err)
{
	const int fd = f->to_stdout ? STDOUT_FILENO : f->file.fd;
	const int rc = ts_file_write_all(fd, bytes, len);

	if (!rc || (f->to_stdout && rc == -EPIPE))
		return rc;
	ts_error_sys(err, -rc, "cannot write %s", f->path);
	return rc == -ENOSPC || rc == -EDQUOT
		       ? ts_error_hint(err, "make room, or name a file on another filesystem")
		       : rc;
}

int result_file_publish(struct result_file *f, struct ts_error *err)
{
	struct stat now;
	bool stands;

	if (f->to_stdout)
		return 0;
	stands = !lstat(f->path, &now);
	if (stands && (!f->stands || now.st_ino != f->was.st_ino || now.st_dev != f->was.st_dev))
		return ts_error_set(err, EBUSY,
				    "cannot write %s: another file came there meanwhile", f->path);
	return beside_file_publish(&f->file, f->path, stands, err);
}

void result_file_release(struct result_file *f)
{
	beside_file_release(&f->file);
}
