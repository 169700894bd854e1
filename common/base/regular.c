// SPDX-License-Identifier: Apache-2.0
#include "common/base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LOOK	  (O_PATH | O_NOFOLLOW | O_CLOEXEC)
#define COMPONENT 256 /* bytes of a name, with its NUL */
#define FD_PATH	  32  /* "/proc/self/fd/N" */

/* Filesystems that <linux/magic.h> does not name (fs/.../super.c of the kernel tree). */
#define CONFIGFS   0x62656570
#define FUNCTIONFS 0x0a647361
#define FUSECTL	   0x65735543
#define MQUEUE	   0x19800202
#define NFSD	   0x6e667364
#define RPC_PIPEFS 0x67596969
#define RESCTRL	   0x07655821
#define SPUFS	   0x23c9b64e
#define XENFS	   0xabba1974

const char *ts_regular_reason(int code)
{
	switch (code) {
	case TS_REGULAR_OTHER:
		return "it is no regular file";
	case TS_REGULAR_LINK:
		return "it is a symbolic link, or leads through one";
	case TS_REGULAR_KERNEL:
		return "the kernel makes what is in it (it lies on proc, sysfs or the like)";
	case TS_REGULAR_UNASKED:
		return "it is not mounted, and the automounter is not asked";
	default:
		return strerrordesc_np(code) ? strerrordesc_np(code) : "unknown error";
	}
}

/*
 * devtmpfs has the same number as tmpfs, so it is not listed; a regular file on it is a plain file.
 */
int ts_regular_judge_filesystem(uint64_t filesystem)
{
	static const uint32_t made[] = {
		PROC_SUPER_MAGIC,
		SYSFS_MAGIC,
		DEBUGFS_MAGIC,
		TRACEFS_MAGIC,
		SECURITYFS_MAGIC,
		SELINUX_MAGIC,
		SMACK_MAGIC,
		CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC,
		BPF_FS_MAGIC,
		PSTOREFS_MAGIC,
		EFIVARFS_MAGIC,
		BINFMTFS_MAGIC,
		DEVPTS_SUPER_MAGIC,
		NSFS_MAGIC,
		ANON_INODE_FS_MAGIC,
		USBDEVICE_SUPER_MAGIC,
		SOCKFS_MAGIC,
		PIPEFS_MAGIC,
		OPENPROM_SUPER_MAGIC,
		BINDERFS_SUPER_MAGIC,
		AAFS_MAGIC,
		CONFIGFS,
		FUNCTIONFS,
		FUSECTL,
		MQUEUE,
		NFSD,
		RPC_PIPEFS,
		RESCTRL,
		SPUFS,
		XENFS,
	};

	if (filesystem == TS_REGULAR_AUTOFS)
		return -TS_REGULAR_UNASKED;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		if (made[i] == (uint32_t)filesystem)
			return -TS_REGULAR_KERNEL;
	return 0;
}

int ts_regular_judge(mode_t mode, uint64_t filesystem)
{
	if (S_ISLNK(mode))
		return -TS_REGULAR_LINK;
	return S_ISREG(mode) ? ts_regular_judge_filesystem(filesystem) : -TS_REGULAR_OTHER;
}

/* --- looking --- */

static int look_at(int dir_fd, const char *name)
{
	const int fd = openat(dir_fd, name, LOOK);

	return fd < 0 ? -errno : fd;
}

/* Without openat2(): opens one component after the other. */
static int look_by_components(int dir_fd, const char *path)
{
	char name[COMPONENT];
	int fd = -1, next;
	struct stat st;

	if (*path == '/')
		return -EXDEV;
	do {
		const size_t len = strcspn(path, "/");

		if (len >= sizeof(name))
			return -ENAMETOOLONG;
		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		path += len + strspn(path + len, "/");
		next = strcmp(name, "..") ? look_at(fd < 0 ? dir_fd : fd, name) : -EXDEV;
		if (fd >= 0)
			close(fd);
		fd = next;
		if (fd < 0 || !*path)
			return fd;
	} while (!fstat(fd, &st) && !S_ISLNK(st.st_mode));
	close(fd);
	return -TS_REGULAR_LINK;
}

/*
 * Opens an O_PATH descriptor of a relative path beneath a directory; no component may be a link or
 * "..". Returns the descriptor, of whatever type the file is, or -errno.
 */
static int look_beneath(int dir_fd, const char *path)
{
	const struct open_how how = {
		.flags = LOOK,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	const long fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));

	if (fd >= 0)
		return (int)fd;
	if (errno == ENOSYS || errno == EPERM) /* an older kernel, or a filter of system calls */
		return look_by_components(dir_fd, path);
	return errno == ELOOP ? -TS_REGULAR_LINK : -errno;
}

/* --- opening --- */

#define OPEN (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static bool is_same(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Opens the file by its name, for systems without /proc. */
static int open_by_name(int path_fd, int dir_fd, const char *name)
{
	const int fd = openat(dir_fd, name, OPEN | O_NOFOLLOW);

	if (fd < 0 || is_same(fd, path_fd))
		return fd < 0 ? -errno : fd;
	close(fd);
	return -ESTALE;
}

static int reopen(int path_fd, int dir_fd, const char *name)
{
	char path[FD_PATH];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	fd = open(path, OPEN);
	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	return open_by_name(path_fd, dir_fd, name);
}

int ts_regular_reopen(int path_fd, int dir_fd, const char *name)
{
	struct statfs filesystem;
	struct stat st;
	int rc;

	if (fstat(path_fd, &st) || fstatfs(path_fd, &filesystem))
		return -errno;
	rc = ts_regular_judge(st.st_mode, (uint64_t)filesystem.f_type);
	return rc ? rc : reopen(path_fd, dir_fd, name);
}

int ts_regular_reopen_any(int path_fd, int dir_fd, const char *name)
{
	struct stat st;
	int rc;

	if (fstat(path_fd, &st))
		return -errno;
	rc = ts_regular_judge(st.st_mode, 0);
	return rc ? rc : reopen(path_fd, dir_fd, name);
}

static int open_looked_at(int path_fd, int dir_fd, const char *name)
{
	int fd;

	if (path_fd < 0)
		return path_fd;
	fd = ts_regular_reopen_any(path_fd, dir_fd, name);
	close(path_fd);
	return fd;
}

int ts_regular_open(int dir_fd, const char *path)
{
	return open_looked_at(look_beneath(dir_fd, path), dir_fd, path);
}

int ts_regular_open_path(int dir_fd, const char *path)
{
	return open_looked_at(look_at(dir_fd, path), dir_fd, path);
}
