// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "common/base/path.h"
#include "common/base/regular.h"
#include "common/directory/directory.h"
#include "common/directory/output_place.h"
#include "common/directory/symbols_folder.h"
#include "reader/commands/result_mark.h"

#define STDOUT_NAME "standard output"

/* --- what is there --- */

/* A killed command leaves a result that was begun, or one that was not renamed. */
static bool is_left(const char *beside, int fd)
{
	(void)beside;
	return result_mark_is_left(fd);
}

static bool is_anything(const char *beside, int fd)
{
	(void)beside;
	(void)fd;
	return true;
}

static int refuse(const char *path, const char *why, struct ts_error *err)
{
	ts_error_set(err, EEXIST, "cannot write %s: %s", path, why);
	return ts_error_hint(err, "name another file");
}

static int refuse_file(const struct result_file *f, struct ts_error *err)
{
	if (f->source && ts_output_place_look(AT_FDCWD, f->path, NULL) == TS_STANDS_CAPTURE_FILE) {
		ts_error_set(err, EEXIST, "cannot write %s: it is a capture, and no export of it",
			     f->path);
		return ts_error_hint(err,
				     "give --force to lose that capture, or name another file");
	}
	ts_error_set(err, EEXIST,
		     "cannot write %s: it exists, and is no picture or export of tstream", f->path);
	return ts_error_hint(err, "give --force to replace it, or name another file");
}

/* Is it an open folder of symbols, within a capture? */
static bool is_symbols_folder(int fd)
{
	const int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat folder, symbols;
	const bool is_it = up >= 0 && !fstat(fd, &folder) &&
			   !fstatat(up, TS_SYMBOLS_FOLDER, &symbols, AT_SYMLINK_NOFOLLOW) &&
			   folder.st_ino == symbols.st_ino && folder.st_dev == symbols.st_dev &&
			   ts_output_place_is_within(up, TS_DIR_DATA);

	if (up >= 0)
		close(up);
	return is_it;
}

/* Would the path be a file of a capture directory? 1, 0 or -errno. */
static int is_within_capture(const char *path)
{
	char *folder = ts_path_folder(path);
	int fd = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1, rc;

	if (fd < 0)
		rc = folder ? -errno : -ENOMEM;
	else
		rc = ts_output_place_is_within(fd, ts_path_name(path)) || is_symbols_folder(fd);
	if (fd >= 0)
		close(fd);
	free(folder);
	return rc;
}

static int tell_place(const char *path, int code, struct ts_error *err)
{
	ts_error_sys(err, code, "cannot write %s", path);
	return beside_file_hint(err);
}

/* Refuses captures; `may_stand`: not those of a single file that is a part of no other one. */
static int check_capture(const char *path, bool may_stand, struct ts_error *err)
{
	const int within = is_within_capture(path);
	const int standing = within < 0 ? within : ts_output_place_look(AT_FDCWD, path, NULL);

	if (standing < 0)
		return tell_place(path, -standing, err);
	return within || (standing == TS_STANDS_CAPTURE_FILE && !may_stand)
		       ? refuse(path, "it is a capture, or a file of one", err)
		       : 0;
}

int result_file_check_capture(const char *path, struct ts_error *err)
{
	return check_capture(path, false, err);
}

/* Is the file that stands there the source itself? If nobody can tell, it is. */
static bool is_source(const struct result_file *f)
{
	struct stat source;
	const int rc = strcmp(f->source, "-") != 0 ? stat(f->source, &source)
						   : fstat(STDIN_FILENO, &source);

	return rc ? errno != ENOENT
		  : source.st_ino == f->old.st_ino && source.st_dev == f->old.st_dev;
}

/* Only a regular file of this user is replaced. */
static int check_kind(const struct result_file *f, struct ts_error *err)
{
	if (S_ISDIR(f->old.st_mode))
		return refuse(f->path, "it is a directory", err);
	if (S_ISLNK(f->old.st_mode))
		return refuse(f->path, "it is a link", err);
	if (!S_ISREG(f->old.st_mode))
		return refuse(f->path, "it is no regular file", err);
	return ts_output_place_is_ours(&f->old)
		       ? 0
		       : refuse(f->path, "it belongs to another user", err);
}

/* Is the file a result, or is it replaced by force? */
static int check_mark(const struct result_file *f, struct ts_error *err)
{
	const int fd = ts_regular_open_path(AT_FDCWD, f->path);
	bool may;

	if (fd < 0)
		return tell_place(f->path, -fd, err);
	may = f->is_forced || result_mark_is_true(fd);
	close(fd);
	return may ? 0 : refuse_file(f, err);
}

static int check_path(struct result_file *f, struct ts_error *err)
{
	int rc;

	if (!*ts_path_name(f->path))
		return ts_error_set(err, EINVAL, "cannot write '%s': it is no name of a file",
				    f->path);
	f->existed = !lstat(f->path, &f->old);
	if (!f->existed && errno != ENOENT)
		return tell_place(f->path, errno, err);
	rc = f->existed ? check_kind(f, err) : 0;
	if (!rc)
		rc = check_capture(f->path, f->source != NULL, err);
	if (!rc && f->existed && f->source && is_source(f))
		rc = refuse(f->path, "it is the capture that is exported", err);
	return rc || !f->existed ? rc : check_mark(f, err);
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

static int open_place(struct result_file *f, struct ts_error *err)
{
	int rc;

	if (!strcmp(f->path, "-"))
		return open_stdout(f, err);
	rc = check_path(f, err);
	if (!rc)
		rc = beside_file_create(&f->file, f->path, f->is_forced ? is_anything : is_left,
					err);
	if (!rc)
		result_mark_begin(f->file.fd);
	return rc;
}

int result_file_open(struct result_file *f, const char *path, bool is_forced, struct ts_error *err)
{
	*f = (struct result_file){.path = path, .file = BESIDE_FILE_NONE, .is_forced = is_forced};
	return open_place(f, err);
}

int result_file_name(const char *capture, const char *suffix, char **ret, struct ts_error *err)
{
	size_t len = strlen(capture);

	if (!strcmp(capture, "-")) {
		ts_error_set(err, EINVAL, "cannot name the result of standard input");
		return ts_error_hint(err, "name a file");
	}
	while (len > 1 && capture[len - 1] == '/')
		len--;
	if (asprintf(ret, "%.*s.%s", (int)len, capture, suffix) < 0)
		return ts_error_sys(err, ENOMEM, "cannot name the result of %s", capture);
	return 0;
}

static int open_beside(struct result_file *f, const char *capture, const char *suffix,
		       struct ts_error *err)
{
	char *path;
	const int rc = result_file_name(capture, suffix, &path, err);

	if (rc)
		return rc;
	f->path = f->named = path;
	return open_place(f, err);
}

int result_file_open_beside(struct result_file *f, const char *capture, const char *suffix,
			    bool is_forced, struct ts_error *err)
{
	*f = (struct result_file){.file = BESIDE_FILE_NONE, .is_forced = is_forced};
	return open_beside(f, capture, suffix, err);
}

int result_file_open_copy(struct result_file *f, const char *path, const char *capture,
			  const char *suffix, bool is_forced, struct ts_error *err)
{
	*f = (struct result_file){
		.path = path, .source = capture, .file = BESIDE_FILE_NONE, .is_forced = is_forced};
	return path ? open_place(f, err) : open_beside(f, capture, suffix, err);
}

int result_file_write(struct result_file *f, const void *bytes, size_t len, struct ts_error *err)
{
	const int fd = f->to_stdout ? STDOUT_FILENO : f->file.fd;
	const int rc = ts_file_write_all(fd, bytes, len);

	if (!rc || (f->to_stdout && rc == -EPIPE))
		return rc;
	ts_error_sys(err, -rc, "cannot write %s", f->path);
	if (rc == -EFBIG)
		return ts_error_hint(err, "allow larger files: 'ulimit -f'");
	return rc == -ENOSPC || rc == -EDQUOT
		       ? ts_error_hint(err, "make room, or name a file on another filesystem")
		       : rc;
}

int result_file_write_block(struct result_file *f, struct ts_bytes *block, struct ts_error *err)
{
	const int rc = ts_bytes_failed(block)
			       ? ts_error_sys(err, ENOMEM, "cannot write %s", f->path)
			       : result_file_write(f, block->data, block->len, err);

	ts_bytes_clear(block);
	return rc;
}

/* Is another file at the path than when the result was opened? */
static bool has_changed(const struct result_file *f, bool *ret_stands)
{
	struct stat now;

	*ret_stands = !lstat(f->path, &now);
	return *ret_stands &&
	       (!f->existed || now.st_ino != f->old.st_ino || now.st_dev != f->old.st_dev ||
		now.st_size != f->old.st_size || now.st_ctim.tv_sec != f->old.st_ctim.tv_sec ||
		now.st_ctim.tv_nsec != f->old.st_ctim.tv_nsec);
}

int result_file_publish(struct result_file *f, struct ts_error *err)
{
	bool stands;

	if (f->to_stdout)
		return 0;
	if (has_changed(f, &stands))
		return ts_error_set(err, EBUSY,
				    "cannot write %s: another file came there meanwhile", f->path);
	result_mark_end(f->file.fd);
	return beside_file_publish(&f->file, f->path, stands, err);
}

void result_file_release(struct result_file *f)
{
	beside_file_release(&f->file);
	free(f->named);
	f->named = NULL;
}
