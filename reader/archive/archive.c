// SPDX-License-Identifier: Apache-2.0
#include "reader/archive/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "common/base/min_max.h"
#include "common/base/path.h"
#include "common/base/regular.h"
#include "common/directory/output_place.h"
#include "common/directory/symbols_folder.h"
#include "reader/archive/elf_slim.h"
#include "reader/objects/debug_file.h"
#include "reader/objects/object_file.h"

#define BLOCK_BYTES    65536	  /* block for comparing and copying files */
#define TEXT_BYTES_MAX (1u << 30) /* most bytes of a map, a jitdump file, kallsyms */

/* `name` is relative to `parent`; `path` is for messages. */
static int open_at(struct archive *a, int parent, const char *name, const char *path,
		   const struct archive_plan *plan, struct ts_error *err)
{
	*a = (struct archive){.plan = *plan, .path = path, .fd = -1};
	if (mkdirat(parent, name, 0700) && errno != EEXIST)
		return ts_error_sys(err, errno, "cannot make %s", path);
	a->fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (a->fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return ts_error_set(err, errno,
				    "cannot open %s: it is a symbolic link or not a directory",
				    path);
	return a->fd < 0 ? ts_error_sys(err, errno, "cannot open %s", path) : 0;
}

int archive_open(struct archive *a, const char *path, const struct archive_plan *plan,
		 struct ts_error *err)
{
	return open_at(a, AT_FDCWD, path, path, plan, err);
}

void archive_close(struct archive *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

/* --- equal files --- */

static int open_regular(int folder, const char *name, struct stat *ret)
{
	const int fd = ts_regular_open(folder, name);

	if (fd < 0 || !fstat(fd, ret))
		return fd;
	close(fd);
	return -1;
}

static bool have_equal_bytes(int a, int b, uint64_t len)
{
	static const size_t most = BLOCK_BYTES / 2;
	uint8_t block[BLOCK_BYTES];

	for (uint64_t at = 0; at < len; at += most) {
		const size_t want = ts_min((uint64_t)most, len - at);

		if (pread(a, block, want, (off_t)at) != (ssize_t)want ||
		    pread(b, block + most, want, (off_t)at) != (ssize_t)want ||
		    memcmp(block, block + most, want) != 0)
			return false;
	}
	return true;
}

/* Only this user can change it: in a store that all can write to, or a capture of another user. */
static bool is_only_ours(const struct stat *st)
{
	return ts_output_place_is_ours(st) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Opens the file of this name in the other folder, if it is equal. fd is TS_SYMBOLS_TMP. -1: none. */
static int open_equal(int other, const char *name, int fd, const struct stat *st)
{
	struct stat theirs;
	const int file = open_regular(other, name, &theirs);

	if (file < 0)
		return -1;
	if (is_only_ours(&theirs) && theirs.st_size == st->st_size &&
	    have_equal_bytes(file, fd, (uint64_t)st->st_size))
		return file;
	close(file);
	return -1;
}

/* Replaces TS_SYMBOLS_TMP by a link to the open file, whatever its name stands for by now. */
static bool link_to(const struct archive *a, int file)
{
	char path[64];

	if (unlinkat(a->fd, TS_SYMBOLS_LINK, 0) && errno != ENOENT)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return !linkat(AT_FDCWD, path, a->fd, TS_SYMBOLS_LINK, AT_SYMLINK_FOLLOW) &&
	       !renameat(a->fd, TS_SYMBOLS_LINK, a->fd, TS_SYMBOLS_TMP);
}

/* Replaces TS_SYMBOLS_TMP by a link to an equal file of another folder. */
static bool link_to_equal(const struct archive *a, const char *name, int fd, const struct stat *st)
{
	bool is_link = false;

	for (size_t i = 0; i < a->plan.nr_others && !is_link; i++) {
		const int file = open_equal(a->plan.others[i], name, fd, st);

		if (file < 0)
			continue;
		is_link = link_to(a, file);
		close(file);
	}
	return is_link;
}

/* --- a file --- */

static int fail_for(const struct archive *a, const char *name, int code, struct ts_error *err)
{
	unlinkat(a->fd, TS_SYMBOLS_TMP, 0);
	return ts_error_sys(err, code, "cannot write %s/%s", a->path, name);
}

static int begin_file(const struct archive *a, const char *name, struct ts_error *err)
{
	int fd;

	if (unlinkat(a->fd, TS_SYMBOLS_TMP, 0) && errno != ENOENT)
		return ts_error_sys(err, errno, "cannot write %s/%s", a->path, name);
	fd = openat(a->fd, TS_SYMBOLS_TMP, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? ts_error_sys(err, errno, "cannot write %s/%s", a->path, name) : fd;
}

static void count_file(struct archive *a, uint64_t bytes, bool is_link)
{
	a->nr_files++;
	a->bytes += bytes;
	a->shared_bytes += is_link ? bytes : 0;
}

/* Does the file exist already, at least as long as fd? */
static bool is_there(struct archive *a, const char *name, const struct stat *st)
{
	struct stat own;

	if (fstatat(a->fd, name, &own, AT_SYMLINK_NOFOLLOW) || !S_ISREG(own.st_mode) ||
	    own.st_size < st->st_size)
		return false;
	unlinkat(a->fd, TS_SYMBOLS_TMP, 0);
	count_file(a, (uint64_t)own.st_size, own.st_nlink > 1);
	return true;
}

/*
 * Failure is ignored, for example on another filesystem: the next capture then copies the file
 * again.
 */
static void put_into_store(const struct archive *a, const char *name)
{
	int rc = linkat(a->fd, name, a->plan.store, name, 0);

	(void)rc;
}

static int name_file(struct archive *a, const char *name, int fd, struct ts_error *err)
{
	struct stat st;
	bool is_link;

	if (fsync(fd) || fstat(fd, &st))
		return fail_for(a, name, errno, err);
	if (is_there(a, name, &st))
		return 0;
	is_link = link_to_equal(a, name, fd, &st);
	if (renameat(a->fd, TS_SYMBOLS_TMP, a->fd, name))
		return fail_for(a, name, errno, err);
	if (!is_link && a->plan.store >= 0)
		put_into_store(a, name);
	count_file(a, (uint64_t)st.st_size, is_link);
	return 0;
}

/* Gives the file in fd its name, or removes it if writing failed with rc. */
static int end_file(struct archive *a, const char *name, int fd, int rc, struct ts_error *err)
{
	if (rc)
		unlinkat(a->fd, TS_SYMBOLS_TMP, 0);
	else
		rc = name_file(a, name, fd, err);
	close(fd);
	return rc;
}

/* Zeros become a hole: a file with few bytes may have a length without limit. */
static int write_block(int to, const uint8_t *block, size_t len)
{
	if (block[0] || memcmp(block, block + 1, len - 1) != 0)
		return ts_file_write_all(to, block, len);
	return lseek(to, (off_t)len, SEEK_CUR) < 0 ? -errno : 0;
}

static ssize_t read_block(int from, uint8_t *block, size_t len)
{
	ssize_t got;

	do
		got = read(from, block, len);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* Copies at most the first `most` bytes. *ret_is_read: if it fails, `to` cannot be written. */
static int copy_file(int from, int to, uint64_t most, bool *ret_is_read)
{
	int rc = lseek(from, 0, SEEK_SET) < 0 ? -errno : 0;
	uint8_t block[BLOCK_BYTES];
	uint64_t at = 0;
	ssize_t got;

	*ret_is_read = !rc;
	while (!rc && at < most &&
	       (got = read_block(from, block, ts_min(sizeof(block), most - at))) != 0) {
		*ret_is_read = got > 0;
		rc = got < 0 ? (int)got : write_block(to, block, (size_t)got);
		at += rc ? 0 : (uint64_t)got;
	}
	return rc ? rc : ftruncate(to, (off_t)at) ? -errno : 0;
}

/* 1 with *err: `from` cannot be read. */
static int copy_fd(struct archive *a, const char *name, int from, uint64_t most,
		   struct ts_error *err)
{
	const int fd = begin_file(a, name, err);
	bool is_read;
	int rc;

	if (fd < 0)
		return fd;
	rc = copy_file(from, fd, most, &is_read);
	if (rc)
		ts_error_sys(err, -rc,
			     is_read ? "cannot write %s/%s" : "cannot read what %s/%s is to copy",
			     a->path, name);
	return end_file(a, name, fd, rc && !is_read ? 1 : rc, err);
}

/*
 * Copies a file that other programs write without limit, up to the size that a reader reads. 1 with
 * *err: it cannot be read, or not be opened any more, as when a process has ended and its root with
 * it.
 */
static int copy_path(struct archive *a, const char *name, const char *path,
		     const struct harmless *how, struct ts_error *err)
{
	const int from = harmless_open(path, how);
	int rc;

	if (from < 0) {
		ts_error_set(err, -from, "cannot open %s: %s", path, ts_regular_reason(-from));
		return ts_error_is_of_machine(-from) ? from : 1;
	}
	rc = copy_fd(a, name, from, TEXT_BYTES_MAX, err);
	close(from);
	return rc;
}

/* 1 with *err: the file cannot be read, or is damaged. */
static int copy_elf(struct archive *a, const char *name, const struct elf_file *file,
		    struct ts_error *err)
{
	int fd, rc;

	if (a->plan.is_whole)
		return copy_fd(a, name, file->fd, UINT64_MAX, err);
	fd = begin_file(a, name, err);
	if (fd < 0)
		return fd;
	rc = elf_slim(file, a->plan.with_lines, fd, name, err);
	return end_file(a, name, fd, rc == -EINVAL ? 1 : rc, err);
}

/* --- what a module is read from --- */

/* The search for the files of a module, without the archive itself. */
static struct symbol_search search_of(const struct module *m, int *fault)
{
	return (struct symbol_search){.path = m->path,
				      .symfs = m->symfs,
				      .cache = m->cache,
				      .server = m->server,
				      .pid = m->pid,
				      .fault = fault};
}

/* No file was found: is there none, or did the machine fail? */
static int check_fault(const struct module *m, int fault, struct ts_error *err)
{
	return fault ? ts_error_sys(err, fault, "cannot archive %s", m->name.long_name) : 0;
}

/* Adds the file that holds a part of the DWARF of `source`. */
static int take_other_file(struct archive *a, const struct module *m, const struct elf_file *source,
			   const char *source_path, struct ts_error *err)
{
	int fault = 0, rc;
	const struct symbol_search search = search_of(m, &fault);
	char path[PATH_MAX], name[TS_SYMBOLS_NAME];
	struct elf_file other = {.fd = -1};
	struct ts_build_id id;

	if ((!a->plan.with_lines && !a->plan.is_whole) ||
	    !debug_file_open_alt(&other, path, source, source_path, &search))
		return check_fault(m, fault, err);
	id = other.build_id;
	rc = copy_elf(a, ts_symbols_name(name, &id, TS_SYMBOLS_DEBUG), &other, err);
	elf_file_close(&other);
	return rc;
}

static int take_debug_file(struct archive *a, const struct module *m, const struct elf_file *object,
			   struct ts_error *err)
{
	int fault = 0, rc;
	const struct symbol_search search = search_of(m, &fault);
	const struct ts_build_id id = object->build_id;
	char path[PATH_MAX], name[TS_SYMBOLS_NAME];
	struct elf_file debug = {.fd = -1};

	if (!debug_file_open(&debug, path, object, &search))
		return check_fault(m, fault, err);
	rc = copy_elf(a, ts_symbols_name(name, &id, TS_SYMBOLS_DEBUG), &debug, err);
	if (!rc)
		rc = take_other_file(a, m, &debug, path, err);
	elf_file_close(&debug);
	return rc;
}

static bool is_archived(struct archive *a, const char *name)
{
	struct stat st;

	if (fstatat(a->fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return false;
	count_file(a, (uint64_t)st.st_size, st.st_nlink > 1);
	return true;
}

/* Refuses a module that no reader would find. */
static int not_recorded(const struct module *m, struct ts_error *err)
{
	ts_error_set(err, ENOENT, "cannot archive %s: its build-id is not recorded",
		     m->name.long_name);
	return 1;
}

static int take_file(struct archive *a, const struct module *m, struct ts_error *err)
{
	int fault = 0, rc;
	const struct symbol_search search = search_of(m, &fault);
	char path[PATH_MAX], name[TS_SYMBOLS_NAME];
	struct elf_file object;

	if (!m->build_id.len)
		return not_recorded(m, err);
	ts_symbols_name(name, &m->build_id, TS_SYMBOLS_OBJECT);
	if (object_file_open(&object, path, &m->build_id, &search, err)) {
		if (ts_error_is_of_machine(err->code))
			return -err->code;
		return is_archived(a, name) ? 0 : 1;
	}
	rc = copy_elf(a, name, &object, err);
	if (!rc)
		rc = take_other_file(a, m, &object, path, err);
	if (!rc)
		rc = take_debug_file(a, m, &object, err);
	elf_file_close(&object);
	return rc;
}

static int take_vdso(struct archive *a, const struct module *m, struct ts_error *err)
{
	char name[TS_SYMBOLS_NAME];
	int fd, rc;

	if (!m->build_id.len)
		return not_recorded(m, err);
	ts_symbols_name(name, &m->build_id, TS_SYMBOLS_OBJECT);
	fd = module_copy_vdso(m, err);
	if (fd < 0)
		return is_archived(a, name) ? 0 : 1;
	rc = copy_fd(a, name, fd, UINT64_MAX, err);
	close(fd);
	return rc;
}

static int take_kernel(struct archive *a, const struct module *m, struct ts_error *err)
{
	char name[TS_SYMBOLS_NAME];
	struct ts_build_id running;

	ts_symbols_name(name, &m->build_id, TS_SYMBOLS_KALLSYMS);
	ts_build_id_of_notes_file(MODULE_KERNEL_NOTES, &running);
	if (m->why_not.code) {
		kept_error_get(&m->why_not, err);
		return 1;
	}
	if (!m->build_id.len)
		return not_recorded(m, err);
	return ts_build_id_equal(&running, &m->build_id)
		       ? copy_path(a, name, MODULE_KALLSYMS, HARMLESS_OWN, err)
		       : 0;
}

static int take_map(struct archive *a, const struct module *m, struct ts_error *err)
{
	char name[TS_SYMBOLS_NAME];

	if (m->object)
		return copy_path(a, ts_symbols_map_name(name, m->pid), m->object, &m->object_how,
				 err);
	kept_error_get(&m->why_not, err);
	return 1;
}

static int take_jitdump(struct archive *a, const struct module *m, struct ts_error *err)
{
	const char *name = ts_path_name(m->path);
	const struct harmless how = module_how_by_path(m);

	if (!m->why_not.code && strlen(name) < TS_SYMBOLS_NAME)
		return copy_path(a, name, m->path, &how, err);
	kept_error_get(&m->why_not, err);
	return 1;
}

int archive_module(struct archive *a, const struct module *m, struct ts_error *err)
{
	switch (m->kind) {
	case MODULE_FILE:
		return take_file(a, m, err);
	case MODULE_VDSO:
		return take_vdso(a, m, err);
	case MODULE_KERNEL:
		return take_kernel(a, m, err);
	case MODULE_JIT:
		return take_map(a, m, err);
	case MODULE_JITDUMP:
		return take_jitdump(a, m, err);
	default: /* no file: its records are all there is */
		return 0;
	}
}

/* --- from capture to capture --- */

static int carry_files(struct archive *a, int from, DIR *files, struct ts_error *err)
{
	const struct dirent *entry;
	struct stat st;
	int rc = 0;

	while (!rc && (entry = readdir(files))) {
		int fd;

		if (!ts_symbols_is_name(entry->d_name))
			continue;
		fd = open_regular(from, entry->d_name, &st);
		if (fd < 0)
			continue;
		rc = copy_fd(a, entry->d_name, fd, UINT64_MAX, err);
		close(fd);
	}
	return rc > 0 ? -err->code : rc;
}

int archive_carry(const char *from, const struct ts_dir *to, struct ts_error *err)
{
	const int fd = from ? open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	const struct archive_plan plan = {.others = &fd, .nr_others = 1, .store = -1};
	char path[PATH_MAX + sizeof(TS_SYMBOLS_FOLDER) + 1];
	struct archive a;
	DIR *files;
	int rc;

	if (!from)
		return 0;
	files = fd < 0 ? NULL : fdopendir(fd);
	if (!files) {
		rc = ts_error_sys(err, errno, "cannot read %s", from);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	snprintf(path, sizeof(path), "%s/" TS_SYMBOLS_FOLDER, to->path);
	rc = open_at(&a, to->fd, TS_SYMBOLS_FOLDER, path, &plan, err);
	if (!rc)
		rc = carry_files(&a, fd, files, err);
	archive_close(&a);
	closedir(files);
	return rc;
}
