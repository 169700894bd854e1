// SPDX-License-Identifier: Apache-2.0
#include "streamer/synthesis.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streamer/synth_record.h"

/* The id that samples carry: the kernel tells it as the file handle of the cgroup's folder. */
static uint64_t id_of_folder(int fd)
{
	union {
		struct file_handle handle;
		char space[sizeof(struct file_handle) + sizeof(uint64_t)];
	} u = {.handle.handle_bytes = sizeof(uint64_t)};
	uint64_t id = 0;
	int mount_id;

	if (!name_to_handle_at(fd, "", &u.handle, &mount_id, AT_EMPTY_PATH) &&
	    u.handle.handle_bytes == sizeof(id))
		memcpy(&id, u.handle.f_handle, sizeof(id));
	return id;
}

static void put_cgroup(struct ts_bytes *out, const struct synthesis_options *options, uint64_t id,
		       const char *path)
{
	size_t at = synth_record_begin(out, PERF_RECORD_CGROUP, 0);

	ts_bytes_u64(out, id);
	synth_record_name(out, path, strlen(path));
	synth_record_end(out, at, options->trailer_bytes);
}

/* One cgroup and those below it. `path` (PATH_MAX bytes) names it; what is added is taken away. */
static void put_tree(struct ts_bytes *out, const struct synthesis_options *options, int fd,
		     char *path)
{
	size_t len = strcmp(path, "/") ? strlen(path) : 0;
	struct dirent *entry;
	DIR *dir;
	int child;

	put_cgroup(out, options, id_of_folder(fd), path);
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    len + 1 + strlen(entry->d_name) >= PATH_MAX)
			continue;
		child = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child < 0)
			continue;
		snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name);
		put_tree(out, options, child, path);
		path[len] = '\0';
	}
	closedir(dir);
}

/* Where the hierarchy is that perf events belong to: the old one named perf_event, else the new. */
static bool find_mount(char *ret, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent entry, *m;
	char text[4096];
	bool found = false, is_old = false;

	if (!mounts)
		return false;
	while (!is_old && (m = getmntent_r(mounts, &entry, text, sizeof(text)))) {
		is_old = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");
		if (!is_old && (found || strcmp(m->mnt_type, "cgroup2") != 0))
			continue;
		snprintf(ret, size, "%s", m->mnt_dir);
		found = true;
	}
	endmntent(mounts);
	return found;
}

int synthesis_cgroups(struct ts_bytes *out, const struct synthesis_options *options,
		      struct ts_error *err)
{
	char mount[PATH_MAX], *path;
	int fd;

	if (!find_mount(mount, sizeof(mount)))
		return 0;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return ts_error_sys(err, errno, "cannot read cgroups in %s", mount);
	path = malloc(PATH_MAX);
	if (path) {
		strcpy(path, "/");
		put_tree(out, options, fd, path);
	} else {
		close(fd);
	}
	free(path);
	if (!path || ts_bytes_failed(out))
		return ts_error_set(err, ENOMEM, "cannot describe cgroups: out of memory");
	return 0;
}
