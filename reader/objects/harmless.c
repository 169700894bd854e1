// SPDX-License-Identifier: Apache-2.0
/*
 * A walk is at a folder (an O_PATH descriptor) and has the rest of the path before it:
 *
 *	at: /usr    rest: lib64/libc.so.6
 *	    lib64 is a link to lib:            rest: lib/libc.so.6
 *	at: /usr/lib    rest: libc.so.6
 *
 * With O_DIRECTORY the kernel mounts a filesystem that is due there; with O_PATH alone it does not.
 * So a folder is opened with O_PATH first. O_DIRECTORY is used only if the filesystem mounts parts
 * of itself (NFS).
 */
#include "reader/objects/harmless.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/regular.h"

#define LINKS_MAX 40 /* as the kernel */
#define LOOK	  (O_PATH | O_NOFOLLOW | O_CLOEXEC)

struct walk {
	int at;			 /* the file that was reached */
	int parent;		 /* the folder of that file; -1: none */
	char name[NAME_MAX + 1]; /* its name there */
	char rest[PATH_MAX];
	unsigned int nr_links;
	enum harmless_links links;
};

static void release_walk(struct walk *w)
{
	if (w->at >= 0)
		close(w->at);
	if (w->parent >= 0)
		close(w->parent);
	w->at = w->parent = -1;
}

/* Moves to another place, which may be -errno. */
static int stand_at(struct walk *w, int fd)
{
	release_walk(w);
	w->at = fd;
	return fd < 0 ? fd : 0;
}

static int open_folder(const char *path)
{
	const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* --- a component --- */

/* Takes the next component off the rest. 1; 0: none left; -errno. */
static int take_name(struct walk *w)
{
	const char *from = w->rest + strspn(w->rest, "/");
	const size_t len = strcspn(from, "/");
	const char *behind = from + len + strspn(from + len, "/");

	if (!len || len > NAME_MAX)
		return len ? -ENAMETOOLONG : 0;
	memcpy(w->name, from, len);
	w->name[len] = '\0';
	memmove(w->rest, behind, strlen(behind) + 1);
	return 1;
}

/*
 * In a folder of the automounter only mounted parts are found: no name is looked up that is not in
 * the kernel's cache.
 */
static int look_cached(int at, const char *name)
{
	const struct open_how how = {.flags = LOOK, .resolve = RESOLVE_CACHED};
	const long fd = syscall(SYS_openat2, at, name, &how, sizeof(how));

	return fd < 0 ? -TS_REGULAR_UNASKED : (int)fd;
}

static int look_at(int at, const char *name)
{
	struct statfs filesystem;
	int fd, rc;

	if (fstatfs(at, &filesystem))
		return -errno;
	rc = ts_regular_judge_filesystem((uint64_t)filesystem.f_type);
	if (rc == -TS_REGULAR_UNASKED)
		return look_cached(at, name);
	if (rc)
		return rc;
	fd = openat(at, name, LOOK);
	return fd < 0 ? -errno : fd;
}

/*
 * The rule of the kernel's protected_symlinks. The kernel applies it only to links that it resolves
 * itself.
 */
static bool may_follow(const struct walk *w, const struct stat *link)
{
	const mode_t open_to_all = S_ISVTX | S_IWOTH;
	struct stat folder;

	if (fstat(w->at, &folder))
		return false;
	return (folder.st_mode & open_to_all) != open_to_all || link->st_uid == geteuid() ||
	       link->st_uid == folder.st_uid;
}

/* Puts the target of a link before the rest. */
static int follow_link(struct walk *w, int link_fd, const struct stat *link)
{
	char text[PATH_MAX];
	const size_t nr_rest = strlen(w->rest);
	ssize_t len;

	if (w->links == HARMLESS_NO_LINK_END && !nr_rest)
		return -TS_REGULAR_LINK;
	if (++w->nr_links > LINKS_MAX)
		return -ELOOP;
	if (!may_follow(w, link))
		return -EACCES;
	len = readlinkat(link_fd, "", text, sizeof(text));
	if (len <= 0)
		return len ? -errno : -ENOENT;
	if ((size_t)len + 1 + nr_rest >= sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + len + 1, w->rest, nr_rest + 1);
	memcpy(w->rest, text, (size_t)len);
	w->rest[len] = nr_rest ? '/' : '\0';
	return text[0] == '/' ? stand_at(w, open_folder("/")) : 0;
}

static int enter_folder(struct walk *w, int fd)
{
	if (w->parent >= 0)
		close(w->parent);
	w->parent = w->at;
	w->at = fd;
	return 0;
}

/* NFS mounts filesystems of its server below others when a path leads there. */
static int mount_own(const struct walk *w, int fd)
{
	struct statx st;
	int mounted;

	if (!*w->rest || statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_TYPE, &st) ||
	    !S_ISDIR(st.stx_mode) || !(st.stx_attributes & STATX_ATTR_AUTOMOUNT))
		return fd;
	mounted = openat(w->at, w->name, LOOK | O_DIRECTORY);
	close(fd);
	return mounted < 0 ? -errno : mounted;
}

static int step_walk(struct walk *w)
{
	int fd = look_at(w->at, w->name), rc;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	if (!S_ISLNK(st.st_mode)) {
		fd = mount_own(w, fd);
		return fd < 0 ? fd : enter_folder(w, fd);
	}
	rc = follow_link(w, fd, &st);
	close(fd);
	return rc;
}

/* --- a path --- */

static int walk_path(struct walk *w)
{
	int rc = 0, found;

	while (!rc && (found = take_name(w)))
		rc = found < 0 ? found : step_walk(w);
	return rc ? rc : ts_regular_reopen(w->at, w->parent, w->name);
}

/* Opens the beginning as it is; it may be empty. */
static int begin_walk(struct walk *w, const char *path, size_t own)
{
	char start[PATH_MAX];

	if (own >= sizeof(start) || strlen(path + own) >= sizeof(w->rest))
		return -ENAMETOOLONG;
	memcpy(start, path, own);
	start[own] = '\0';
	strcpy(w->rest, path + own);
	if (!own)
		strcpy(start, *path == '/' ? "/" : ".");
	return stand_at(w, open_folder(start));
}

/* For a path that the user or tstream chose as a whole. */
static int open_own(const char *path, enum harmless_links links)
{
	const int at = open(path, O_PATH | O_CLOEXEC);
	int fd;

	if (at < 0)
		return -errno;
	fd = links == HARMLESS_MAPPED ? ts_regular_reopen(at, AT_FDCWD, path)
				      : ts_regular_reopen_any(at, AT_FDCWD, path);
	close(at);
	return fd;
}

int harmless_open(const char *path, const struct harmless *how)
{
	struct walk w = {.at = -1, .parent = -1, .links = how->links};
	int fd;

	if (how->own >= strlen(path))
		return open_own(path, how->links);
	fd = begin_walk(&w, path, how->own);
	if (!fd && how->links == HARMLESS_NO_LINKS)
		fd = ts_regular_open(w.at, w.rest + strspn(w.rest, "/"));
	else if (!fd)
		fd = walk_path(&w);
	release_walk(&w);
	return fd;
}

struct harmless harmless_below(const char *folder, const char *path)
{
	const size_t len = folder ? strlen(folder) : 0;
	const bool is_below =
		len && !strncmp(path, folder, len) && (path[len] == '/' || folder[len - 1] == '/');

	return (struct harmless){.own = is_below ? len : 0};
}

struct harmless harmless_archived(const char *archive)
{
	const char *slash = strrchr(archive, '/');

	return (struct harmless){.own = slash == archive ? 1 : (size_t)(slash - archive),
				 .links = HARMLESS_NO_LINKS};
}
