// SPDX-License-Identifier: Apache-2.0
#include "common/directory/output_place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/regular.h"
#include "common/directory/noted_streams.h"
#include "common/directory/symbols_folder.h"
#include "common/perf/perf_layout.h"

#define DATA_NAME "data"

/*
 * A path that cannot be opened is no capture (0), unless this process lacks descriptors or memory.
 */
static int judge_open(int code)
{
	return ts_error_is_shortage(code) ? -code : 0;
}

/* 1: the regular file begins with perf's magic, in either byte order; 0: not; or -errno. */
static int is_perf_data(int parent_fd, const char *name)
{
	const int fd = ts_regular_open_path(parent_fd, name);
	uint64_t magic = 0;
	bool is_it;

	if (fd < 0)
		return judge_open(-fd);
	is_it = pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
		(magic == TS_PERF_MAGIC || magic == TS_PERF_MAGIC_SWAPPED);
	close(fd);
	return is_it;
}

static int open_dir(int parent_fd, const char *name)
{
	const int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool ts_output_place_is_ours(const struct stat *st)
{
	return st->st_uid == geteuid();
}

static int is_capture_dir(int parent_fd, const char *name)
{
	const int fd = open_dir(parent_fd, name);
	int is_it;

	if (fd < 0)
		return judge_open(-fd);
	is_it = is_perf_data(fd, DATA_NAME);
	close(fd);
	return is_it;
}

/*
 * The action for each entry of a directory in one pass; 0, or -errno to stop there. `streams`: of the
 * capture; NULL: not asked for.
 */
typedef int (*entry_fn)(int fd, const char *name, const struct ts_noted_streams *streams);

/* Calls fn on each entry; on failure ret_name is the entry (NAME_MAX + 1 bytes). */
static int each_entry(int fd, entry_fn fn, const struct ts_noted_streams *streams, char *ret_name)
{
	const int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;
	int rc = dir ? 0 : -errno;

	strcpy(ret_name, ".");
	if (!dir && own >= 0)
		close(own);
	while (!rc) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			rc = -errno;
			break;
		}
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		rc = fn(fd, entry->d_name, streams);
		if (rc)
			strcpy(ret_name, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int entry_refuse(int fd, const char *name, const struct ts_noted_streams *streams)
{
	(void)streams;
	(void)fd;
	(void)name;
	return -EEXIST;
}

static bool is_mount_point(int fd)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH, 0, &st) && st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* May the directory be removed to make room? If not, *what says why, if there is a reason. */
static bool is_empty_dir(int parent_fd, const char *dir, const char **what)
{
	const int fd = open_dir(parent_fd, dir);
	bool is_empty = false;
	char name[NAME_MAX + 1];
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && !each_entry(fd, entry_refuse, NULL, name)) {
		if (!ts_output_place_is_ours(&st))
			*what = "a directory of another user";
		else if (is_mount_point(fd))
			*what = "a mount point";
		else
			is_empty = true;
	}
	close(fd);
	return is_empty;
}

int ts_output_place_look(int parent_fd, const char *name, const char **ret_what)
{
	const char *what = "neither a file nor a directory";
	int is_it, standing = TS_STANDS_FOREIGN;
	struct stat st;

	if (fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? TS_STANDS_NOTHING : -errno;
	if (S_ISREG(st.st_mode)) {
		if (!st.st_size && ts_output_place_is_ours(&st))
			return TS_STANDS_EMPTY_FILE;
		is_it = is_perf_data(parent_fd, name);
		if (is_it)
			return is_it < 0 ? is_it : TS_STANDS_CAPTURE_FILE;
		what = st.st_size ? "a file, but not a capture" : "a file of another user";
	} else if (S_ISDIR(st.st_mode)) {
		is_it = is_capture_dir(parent_fd, name);
		if (is_it)
			return is_it < 0 ? is_it : TS_STANDS_CAPTURE_DIR;
		what = "a directory, but not a capture";
		if (is_empty_dir(parent_fd, name, &what))
			standing = TS_STANDS_EMPTY_DIR;
	} else if (S_ISLNK(st.st_mode)) {
		what = "a symbolic link";
	} else if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) {
		what = "a device";
	}
	if (ret_what)
		*ret_what = what;
	return standing;
}

bool ts_output_place_is_capture_name(const char *name)
{
	static const char *const names[] = {DATA_NAME, "tstream.json", "tmp-data",
					    "tmp-tstream.json"};
	const char *digit;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	if (strncmp(name, DATA_NAME ".", sizeof(DATA_NAME ".") - 1))
		return false;
	digit = name + sizeof(DATA_NAME ".") - 1;
	if (!*digit)
		return false;
	while (isdigit((unsigned char)*digit))
		digit++;
	return !*digit;
}

bool ts_output_place_is_within(int parent_fd, const char *name)
{
	if (!ts_output_place_is_capture_name(name) || is_perf_data(parent_fd, DATA_NAME) <= 0)
		return false;
	/* `perf record -o data` leaves a lone `data` in any directory. */
	return !faccessat(parent_fd, DATA_NAME ".0", F_OK, AT_SYMLINK_NOFOLLOW) ||
	       !faccessat(parent_fd, "tstream.json", F_OK, AT_SYMLINK_NOFOLLOW);
}

/* --- the folder of symbols --- */

static int symbol_is_of_capture(int fd, const char *name, const struct ts_noted_streams *streams)
{
	struct stat st;

	(void)streams;
	if (!ts_symbols_is_name(name))
		return -EEXIST;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EEXIST;
}

static int symbol_remove(int fd, const char *name, const struct ts_noted_streams *streams)
{
	const int rc = symbol_is_of_capture(fd, name, streams);

	return rc ? rc : unlinkat(fd, name, 0) ? -errno : 0;
}

static int each_symbol(int fd, entry_fn fn)
{
	const int folder = open_dir(fd, TS_SYMBOLS_FOLDER);
	char name[NAME_MAX + 1];
	int rc;

	if (folder < 0)
		return folder == -ENOTDIR || folder == -ELOOP ? -EEXIST : folder;
	rc = each_entry(folder, fn, NULL, name);
	close(folder);
	return rc;
}

/* --- the directory --- */

static bool is_stream_name(const char *name)
{
	return !strncmp(name, DATA_NAME ".", sizeof(DATA_NAME ".") - 1);
}

static int entry_is_of_capture(int fd, const char *name, const struct ts_noted_streams *streams)
{
	struct stat st;

	if (!strcmp(name, TS_SYMBOLS_FOLDER))
		return each_symbol(fd, symbol_is_of_capture);
	if (!ts_output_place_is_capture_name(name) ||
	    (is_stream_name(name) && !ts_noted_streams_allow(streams, name)))
		return -EEXIST;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EEXIST;
}

/* If a recorder was killed before it wrote `data`, the streams that it left are still empty. */
static int entry_is_unborn(int fd, const char *name, const struct ts_noted_streams *streams)
{
	const int rc = entry_is_of_capture(fd, name, streams);
	struct stat st;

	if (rc || strncmp(name, DATA_NAME, sizeof(DATA_NAME) - 1))
		return rc;
	return !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && !st.st_size ? 0 : -EEXIST;
}

/*
 * Skips `data`, which makes the directory a capture and is removed last: a kill in the middle
 * leaves a capture that can be removed. An entry that came after the check is looked at, too.
 */
static int entry_remove(int fd, const char *name, const struct ts_noted_streams *streams)
{
	int rc = entry_is_of_capture(fd, name, streams);

	if (rc || !strcmp(name, DATA_NAME))
		return rc;
	if (strcmp(name, TS_SYMBOLS_FOLDER) != 0)
		return unlinkat(fd, name, 0) ? -errno : 0;
	rc = each_symbol(fd, symbol_remove);
	return rc ? rc : unlinkat(fd, name, AT_REMOVEDIR) ? -errno : 0;
}

/* May all entries be deleted? */
static int check_entries(int fd, const struct ts_noted_streams *streams, const char *path,
			 struct ts_error *err)
{
	const entry_fn check =
		is_perf_data(fd, DATA_NAME) > 0 ? entry_is_of_capture : entry_is_unborn;
	char name[NAME_MAX + 1];
	const int rc = each_entry(fd, check, streams, name);

	if (!rc)
		return 0;
	if (rc != -EEXIST)
		return ts_error_sys(err, -rc, "cannot remove the old capture %s: cannot read %s",
				    path, name);
	ts_error_set(
		err, EEXIST,
		"cannot remove the old capture %s: it contains %s, which is not part of a capture",
		path, name);
	return ts_error_hint(err, "move %s/%s elsewhere, or name another output with -o", path,
			     name);
}

static int refuse_owner(const char *path, struct ts_error *err)
{
	return ts_error_set(err, EPERM, "cannot remove %s: it belongs to another user", path);
}

/*
 * Opens a directory of this user in which all entries may be deleted. Descriptor or -errno; *streams
 * is to be released in both cases.
 */
static int open_removable(int parent_fd, const char *name, const char *path,
			  struct ts_noted_streams *streams, struct ts_error *err)
{
	const int fd = open_dir(parent_fd, name);
	struct stat st;
	int rc;

	*streams = (struct ts_noted_streams){0};
	if (fd < 0)
		return ts_error_sys(err, -fd, "cannot open %s", path);
	if (fstat(fd, &st))
		rc = ts_error_sys(err, errno, "cannot look at %s", path);
	else if (!ts_output_place_is_ours(&st))
		rc = refuse_owner(path, err);
	else if ((rc = ts_noted_streams_read(streams, fd)) < 0)
		ts_error_sys(err, -rc, "cannot look at %s", path);
	else
		rc = check_entries(fd, streams, path, err);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

int ts_output_place_check_dir(int parent_fd, const char *name, const char *path,
			      struct ts_error *err)
{
	struct ts_noted_streams streams;
	const int fd = open_removable(parent_fd, name, path, &streams, err);

	ts_noted_streams_release(&streams);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* Does this name still stand for the open directory? */
static bool is_named(int fd, int parent_fd, const char *name)
{
	struct stat ours, named;

	return !fstat(fd, &ours) && !fstatat(parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

static int remove_dir(int parent_fd, const char *name, const char *path, struct ts_error *err)
{
	struct ts_noted_streams streams;
	const int fd = open_removable(parent_fd, name, path, &streams, err);
	char entry[NAME_MAX + 1];
	int rc;

	if (fd < 0) {
		rc = fd;
		goto out;
	}
	rc = each_entry(fd, entry_remove, &streams, entry);
	if (rc) {
		ts_error_sys(err, -rc, "cannot remove %s/%s", path, entry);
		goto out;
	}
	if ((unlinkat(fd, DATA_NAME, 0) && errno != ENOENT) ||
	    (is_named(fd, parent_fd, name) && unlinkat(parent_fd, name, AT_REMOVEDIR)))
		rc = ts_error_sys(err, errno, "cannot remove the old capture %s", path);
out:
	ts_noted_streams_release(&streams);
	if (fd >= 0)
		close(fd);
	return rc;
}

int ts_output_place_remove(int parent_fd, const char *name, const char *path, struct ts_error *err)
{
	struct stat st;

	if (fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return ts_error_sys(err, errno, "cannot look at %s", path);
	if (S_ISDIR(st.st_mode))
		return remove_dir(parent_fd, name, path, err);
	if (!ts_output_place_is_ours(&st))
		return refuse_owner(path, err);
	if (is_perf_data(parent_fd, name) <= 0)
		return ts_error_set(err, EEXIST, "cannot remove %s: it is not a capture", path);
	if (unlinkat(parent_fd, name, 0))
		return ts_error_sys(err, errno, "cannot remove the old capture %s", path);
	return 0;
}
