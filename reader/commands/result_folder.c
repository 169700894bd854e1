// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/result_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/base/regular.h"
#include "common/directory/output_place.h"
#include "reader/commands/result_mark.h"

/* --- its files --- */

static bool is_anything(int fd)
{
	(void)fd;
	return true;
}

static bool has_name(const char *const *files, const char *name)
{
	while (*files && strcmp(*files, name) != 0)
		files++;
	return *files;
}

/* May the entry be removed? Only a regular file of this user. */
static bool may_remove(int folder, const char *name, const char *const *files, bool (*is_it)(int))
{
	const int fd = has_name(files, name) ? ts_regular_open_path(folder, name) : -1;
	struct stat st;
	const bool may = fd >= 0 && !fstat(fd, &st) && ts_output_place_is_ours(&st) && is_it(fd);

	if (fd >= 0)
		close(fd);
	return may;
}

/*
 * May all entries be removed? 1, 0 or -errno; of 0 ret_name is the entry that stays (NAME_MAX + 1
 * bytes).
 */
static int may_remove_all(int folder, const char *const *files, bool (*is_it)(int), char *ret_name)
{
	const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;
	int rc = dir ? 1 : -errno;

	if (!dir && own >= 0)
		close(own);
	while (rc == 1) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		rc = may_remove(folder, entry->d_name, files, is_it);
		snprintf(ret_name, NAME_MAX + 1, "%s", entry->d_name);
	}
	if (rc == 1 && errno)
		rc = -errno;
	if (dir)
		closedir(dir);
	return rc;
}

/* A directory with further entries stays, and so does its name. 0 or -errno. */
static int remove_folder(int fd, const char *path, const char *const *files)
{
	for (; *files; files++)
		if (unlinkat(fd, *files, 0) && errno != ENOENT)
			return -errno;
	return rmdir(path) && errno != ENOENT ? -errno : 0;
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* --- what is there --- */

static int refuse(const struct result_folder *f, const char *why, struct ts_error *err)
{
	ts_error_set(err, EEXIST, "cannot write %s: %s", f->path, why);
	return ts_error_hint(err, "name another directory");
}

static int refuse_entry(const struct result_folder *f, const char *name, struct ts_error *err)
{
	ts_error_set(err, EEXIST, "cannot write %s: it has %s, which is no export of tstream",
		     f->path, name);
	return has_name(f->files, name) && !f->is_forced
		       ? ts_error_hint(err, "give --force to replace it, or name another directory")
		       : ts_error_hint(err, "name another directory");
}

/* May the open directory be replaced? As may_remove_all(). */
static int may_remove_entries(const struct result_folder *f, int fd, char *ret_name)
{
	return may_remove_all(fd, f->files, f->is_forced ? is_anything : result_mark_is_true,
			      ret_name);
}

static int check_entries(const struct result_folder *f, int fd, struct ts_error *err)
{
	char name[NAME_MAX + 1] = "";
	const int may = may_remove_entries(f, fd, name);

	if (may < 0)
		return ts_error_sys(err, -may, "cannot write %s", f->path);
	return may ? 0 : refuse_entry(f, name, err);
}

/* It can be neither renamed nor removed. Kernels before 5.8 do not say. */
static bool is_mount_point(const char *path)
{
	struct statx st;

	return !statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &st) &&
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static int check_old(const struct result_folder *f, struct ts_error *err)
{
	int fd, rc;

	if (S_ISLNK(f->old.st_mode))
		return refuse(f, "it is a link", err);
	if (!S_ISDIR(f->old.st_mode))
		return refuse(f, "it is no directory", err);
	if (is_mount_point(f->path))
		return refuse(f, "it is a mount point", err);
	if (!ts_output_place_is_ours(&f->old))
		return refuse(f, "it belongs to another user", err);
	fd = open_folder(f->path);
	if (fd < 0)
		return ts_error_sys(err, errno, "cannot write %s", f->path);
	rc = check_entries(f, fd, err);
	close(fd);
	return rc;
}

/* A directory cannot be exchanged by these names. */
static bool is_no_name(const char *name)
{
	return !*name || !strcmp(name, ".") || !strcmp(name, "..");
}

static int check_path(struct result_folder *f, struct ts_error *err)
{
	int rc;

	if (is_no_name(ts_path_name(f->path))) {
		ts_error_set(err, EINVAL, "cannot write '%s': it is no name of a directory",
			     f->path);
		return ts_error_hint(err, "name a directory that a new one can replace");
	}
	f->existed = !lstat(f->path, &f->old);
	if (!f->existed && errno != ENOENT)
		return ts_error_sys(err, errno, "cannot write %s", f->path);
	rc = result_file_check_capture(f->path, err);
	return rc || !f->existed ? rc : check_old(f, err);
}

/* --- making --- */

static int make_folder(const char *beside)
{
	return mkdir(beside, 0700) ? -1 : open_folder(beside);
}

static bool remove_left(const void *folder, const char *beside, int fd)
{
	const struct result_folder *f = folder;
	char name[NAME_MAX + 1];

	return may_remove_all(fd, f->files, f->is_forced ? is_anything : result_mark_is_left,
			      name) == 1 &&
	       !remove_folder(fd, beside, f->files);
}

int result_folder_open(struct result_folder *f, const char *path, const char *const *files,
		       bool is_forced, struct ts_error *err)
{
	const struct beside_maker maker = {make_folder, open_folder, remove_left, f};
	size_t len = strlen(path);
	int rc;

	*f = (struct result_folder){
		.made = BESIDE_FILE_NONE, .files = files, .is_forced = is_forced};
	if (!strcmp(path, "-")) {
		ts_error_set(err, EINVAL, "cannot write a directory to standard output");
		return ts_error_hint(err, "name a directory");
	}
	while (len > 1 && path[len - 1] == '/')
		len--;
	f->path = strndup(path, len);
	if (!f->path)
		return ts_error_sys(err, ENOMEM, "cannot write %s", path);
	rc = check_path(f, err);
	return rc ? rc : beside_file_make(&f->made, f->path, &maker, err);
}

int result_folder_create(struct result_folder *f, const char *name, struct result_file *file,
			 struct ts_error *err)
{
	char *path;

	*file = (struct result_file)RESULT_FILE_NONE;
	if (asprintf(&path, "%s/%s", f->path, name) < 0)
		return ts_error_sys(err, ENOMEM, "cannot make %s", name);
	file->path = file->named = path;
	file->file.fd =
		openat(f->made.fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->file.fd < 0)
		return ts_error_sys(err, errno, "cannot make %s", path);
	result_mark_begin(file->file.fd);
	return 0;
}

int result_folder_complete(struct result_file *file, struct ts_error *err)
{
	if (fsync(file->file.fd))
		return ts_error_sys(err, errno, "cannot write %s", file->path);
	result_mark_end(file->file.fd);
	return 0;
}

/* --- publishing --- */

/* Is another directory at the path than when the result was opened, or has it other entries? */
static bool has_changed(const struct result_folder *f, bool *ret_stands)
{
	struct stat now;

	*ret_stands = !lstat(f->path, &now);
	return *ret_stands &&
	       (!f->existed || now.st_ino != f->old.st_ino || now.st_dev != f->old.st_dev ||
		now.st_ctim.tv_sec != f->old.st_ctim.tv_sec ||
		now.st_ctim.tv_nsec != f->old.st_ctim.tv_nsec);
}

static int tell_stays(const struct result_folder *f, const char *entry, struct ts_error *err)
{
	ts_error_set(err, EEXIST,
		     "cannot remove %s, the older %s: it has %s, which is no export of tstream",
		     f->made.beside, f->path, entry);
	return ts_error_hint(err,
			     "the new one is complete; look through the older one and remove it");
}

/* Removes the older directory, which is at the path or, after an exchange, at DIR.new. */
static int remove_old(const struct result_folder *f, const char *name, struct ts_error *err)
{
	char entry[NAME_MAX + 1] = "";
	const int fd = open_folder(name);
	int rc = fd < 0 ? -errno : may_remove_entries(f, fd, entry);

	if (!rc)
		rc = name == f->path ? refuse_entry(f, entry, err) : tell_stays(f, entry, err);
	else if (rc < 0 || (rc = remove_folder(fd, name, f->files)))
		ts_error_sys(err, -rc, "cannot remove the older %s", name);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int tell_rename(const struct result_folder *f, struct ts_error *err)
{
	return ts_error_sys(err, errno, "cannot rename %s to %s", f->made.beside, f->path);
}

/* 1: it is there, and the older one stands at DIR.new; 0: it is there; or -errno. */
static int rename_new(struct result_folder *f, bool stands, struct ts_error *err)
{
	const unsigned int flag = stands ? RENAME_EXCHANGE : RENAME_NOREPLACE;
	int rc;

	if (!renameat2(AT_FDCWD, f->made.beside, AT_FDCWD, f->path, flag))
		return stands;
	if (errno != EINVAL) /* EINVAL: a filesystem without these flags */
		return tell_rename(f, err);
	rc = stands ? remove_old(f, f->path, err) : 0;
	if (rc)
		return rc;
	return rename(f->made.beside, f->path) ? tell_rename(f, err) : 0;
}

static int refuse_changed(const struct result_folder *f, struct ts_error *err)
{
	return ts_error_set(err, EBUSY, "cannot write %s: %s meanwhile", f->path,
			    f->existed ? "it was changed" : "something else came there");
}

/* Files of the older directory may have been written to since it was checked. */
int result_folder_publish(struct result_folder *f, struct ts_error *err)
{
	bool stands;
	int rc;

	if (fsync(f->made.fd))
		return ts_error_sys(err, errno, "cannot write %s", f->path);
	if (has_changed(f, &stands))
		return refuse_changed(f, err);
	if (!beside_file_is_at(f->made.fd, f->made.beside))
		return ts_error_set(err, EBUSY, "cannot write %s: %s is another one by now",
				    f->path, f->made.beside);
	rc = stands ? check_old(f, err) : 0;
	if (!rc)
		rc = rename_new(f, stands, err);
	if (rc == 1)
		rc = remove_old(f, f->made.beside, err);
	if (!rc)
		beside_file_sync_parent(f->path);
	return rc;
}

/* After it was published, another directory has the name DIR.new, or none. */
void result_folder_release(struct result_folder *f)
{
	struct beside_file *made = &f->made;

	if (made->beside && made->fd >= 0 && beside_file_is_at(made->fd, made->beside))
		remove_folder(made->fd, made->beside, f->files);
	if (made->fd >= 0)
		close(made->fd);
	free(made->beside);
	free(f->path);
	*f = (struct result_folder)RESULT_FOLDER_NONE;
}
