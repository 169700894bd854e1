// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "common/base/text_file.h"

static bool is_tracefs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == TRACEFS_MAGIC;
}

static int find_mount(char *buf, size_t len)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	int rc = -ENOENT;

	while (mounts && rc && (mount = getmntent(mounts))) {
		if (!strcmp(mount->mnt_type, "tracefs") &&
		    snprintf(buf, len, "%s", mount->mnt_dir) < (int)len)
			rc = 0;
		else if (!strcmp(mount->mnt_type, "debugfs") &&
			 snprintf(buf, len, "%s/tracing", mount->mnt_dir) < (int)len &&
			 is_tracefs(buf))
			rc = 0;
	}
	if (mounts)
		endmntent(mounts);
	return rc;
}

int event_tracefs_find(char *buf, size_t len, struct ts_error *err)
{
	static const char *const usual[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (is_tracefs(usual[i]) && snprintf(buf, len, "%s", usual[i]) < (int)len)
			return 0;
	if (!find_mount(buf, len))
		return 0;
	ts_error_set(err, ENOENT, "cannot find tracepoints: tracefs is not mounted");
	return ts_error_hint(err, "mount it: mount -t tracefs tracefs /sys/kernel/tracing");
}

static int refuse_folder(const char *path, int code, struct ts_error *err)
{
	ts_error_sys(err, code, "cannot read tracepoints [%s]", path);
	if (code == EACCES || code == EPERM)
		ts_error_hint(err, "run as root, or let root do 'mount -o remount,mode=755 "
				   "/sys/kernel/tracing' and set kernel.perf_event_paranoid to -1");
	return -code;
}

/*
 * Reads the number in events/SYSTEM/NAME/id. -errno: there is none (NAME is a file, or has no id).
 */
static int64_t read_id(const char *events, const char *system, const char *name)
{
	char path[PATH_MAX];
	uint64_t id;
	int failed;

	if (snprintf(path, sizeof(path), "%s/%s/%s/id", events, system, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	failed = ts_text_file_read_u64(&id, AT_FDCWD, path);
	if (failed)
		return failed;
	return id <= INT64_MAX ? (int64_t)id : -EINVAL;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[");
}

struct walk {
	char events[PATH_MAX]; /* root/events */
	const char *name;
	tracepoint_visit visit;
	void *ctx;
	struct ts_error *err;
	int found;
};

static int visit_one(struct walk *walk, const char *system, const char *name)
{
	int64_t id = read_id(walk->events, system, name);

	if (id == -EACCES || id == -EPERM)
		return refuse_folder(walk->events, (int)-id, walk->err);
	if (id < 0)
		return 0;
	walk->found++;
	return walk->visit(walk->ctx, system, name, id, walk->err);
}

/* Visits all matching names of one system. */
static int walk_system(struct walk *walk, const char *system)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int rc = 0;
	DIR *dir;

	if (!is_pattern(walk->name))
		return visit_one(walk, system, walk->name);
	if (snprintf(path, sizeof(path), "%s/%s", walk->events, system) >= (int)sizeof(path))
		return 0;
	dir = opendir(path);
	if (!dir && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!dir)
		return refuse_folder(path, errno, walk->err);
	while (!rc && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !fnmatch(walk->name, entry->d_name, 0))
			rc = visit_one(walk, system, entry->d_name);
	closedir(dir);
	return rc;
}

static int walk_systems(struct walk *walk, const char *pattern)
{
	struct dirent *entry;
	int rc = 0;
	DIR *dir;

	dir = opendir(walk->events);
	if (!dir)
		return refuse_folder(walk->events, errno, walk->err);
	while (!rc && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !fnmatch(pattern, entry->d_name, 0))
			rc = walk_system(walk, entry->d_name);
	closedir(dir);
	return rc;
}

int event_tracepoint_for_each(const char *root, const char *system, const char *name,
			      tracepoint_visit visit, void *ctx, struct ts_error *err)
{
	struct walk walk = {.name = name, .visit = visit, .ctx = ctx, .err = err};
	char found[PATH_MAX - 16];
	int rc;

	if (strchr(system, '/') || strchr(name, '/') || system[0] == '.' || name[0] == '.')
		return 0; /* a name must not lead out of the folder */
	if (!root) {
		rc = event_tracefs_find(found, sizeof(found), err);
		if (rc)
			return rc;
		root = found;
	}
	if (snprintf(walk.events, sizeof(walk.events), "%s/events", root) >=
	    (int)sizeof(walk.events))
		return ts_error_sys(err, ENAMETOOLONG, "cannot read tracepoints [%s]", root);
	rc = is_pattern(system) ? walk_systems(&walk, system) : walk_system(&walk, system);
	return rc ? rc : walk.found;
}
