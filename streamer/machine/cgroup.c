// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 64

/* The folder where the hierarchy is mounted. -ENOENT: nowhere. -errno without a sentence. */
static int find_mount(char *ret, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	char unified[PATH_MAX] = "", own[PATH_MAX] = "", text[2 * PATH_MAX];
	const char *found;
	struct mntent m;

	if (!mounts)
		return -errno;
	while (getmntent_r(mounts, &m, text, sizeof(text))) {
		if (!strcmp(m.mnt_type, "cgroup") && hasmntopt(&m, "perf_event"))
			snprintf(own, sizeof(own), "%s", m.mnt_dir);
		else if (!strcmp(m.mnt_type, "cgroup2") && !unified[0])
			snprintf(unified, sizeof(unified), "%s", m.mnt_dir);
	}
	endmntent(mounts);
	found = own[0] ? own : unified;
	if (!found[0] || strlen(found) >= size)
		return -ENOENT;
	strcpy(ret, found);
	return 0;
}

int cgroup_open(const char *name, struct ts_error *err)
{
	char mount[PATH_MAX], path[2 * PATH_MAX];
	int fd;

	if (find_mount(mount, sizeof(mount)) < 0) {
		ts_error_set(err, ENOENT,
			     "cannot record cgroup %s: no cgroup hierarchy that supports "
			     "performance events is mounted",
			     name);
		return ts_error_hint(err, "mount -t cgroup2 none /sys/fs/cgroup");
	}
	snprintf(path, sizeof(path), "%s/%s", mount, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	ts_error_sys(err, errno, "cannot record cgroup %s", name);
	return ts_error_hint(err, "give a directory below %s: these are the cgroups", mount);
}

/* --- all of them --- */

struct walk {
	int (*tell)(void *arg, uint64_t id, const char *path);
	void *arg;
	char path[PATH_MAX]; /* of the present cgroup, inside the hierarchy; "" is the root */
};

/* A cgroup's number is the handle of its folder: 8 bytes. */
static int tell_one(const struct walk *w, int fd)
{
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = {.head.handle_bytes = sizeof(handle.id)};
	int mount_id;

	if (name_to_handle_at(fd, "", &handle.head, &mount_id, AT_EMPTY_PATH))
		return 0; /* the cgroup is gone, or has no number */
	return w->tell(w->arg, handle.id, w->path[0] ? w->path : "/");
}

static int walk_below(struct walk *w, int fd, int depth);

static int enter_group(struct walk *w, int parent_fd, const char *name, int depth)
{
	size_t len = strlen(w->path);
	int fd, rc = 0;

	if ((size_t)snprintf(w->path + len, sizeof(w->path) - len, "/%s", name) <
	    sizeof(w->path) - len) {
		fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			rc = walk_below(w, fd, depth + 1);
	}
	w->path[len] = '\0';
	return rc;
}

/* Closes fd. */
static int walk_below(struct walk *w, int fd, int depth)
{
	int rc = tell_one(w, fd);
	struct dirent *entry;
	DIR *folder = fdopendir(fd);

	if (!folder) {
		close(fd);
		return rc;
	}
	while (!rc && depth < DEPTH_MAX && (entry = readdir(folder)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") &&
		    strcmp(entry->d_name, ".."))
			rc = enter_group(w, dirfd(folder), entry->d_name, depth);
	closedir(folder);
	return rc;
}

int cgroup_each(int (*tell)(void *arg, uint64_t id, const char *path), void *arg)
{
	struct walk w = {.tell = tell, .arg = arg};
	char mount[PATH_MAX];
	int rc = find_mount(mount, sizeof(mount)), fd;

	if (rc < 0)
		return rc;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : walk_below(&w, fd, 0);
}
