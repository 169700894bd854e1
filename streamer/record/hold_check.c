// SPDX-License-Identifier: Apache-2.0
#include "streamer/record/hold_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/directory/memory_store.h"
#include "common/directory/recorder.h"

struct place { /* the place that a path names, whether a file is there or not */
	dev_t dev;
	ino_t ino; /* of the directory that contains it */
	char name[NAME_MAX + 1];
};

/* False: the path names no place. */
static bool find_place(struct place *p, const char *path)
{
	char parent[PATH_MAX];
	size_t len = strlen(path);
	struct stat st;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len >= sizeof(parent))
		return false;
	memcpy(parent, path, len);
	parent[len] = '\0';
	snprintf(p->name, sizeof(p->name), "%s", basename(parent));
	parent[len - strlen(basename(parent))] = '\0';
	if (stat(*parent ? parent : ".", &st))
		return false;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	return true;
}

/* Reads the OUT that a hold names, NUL-terminated. */
static bool read_output(int hold_fd, char output[PATH_MAX])
{
	const int fd = ts_regular_open(hold_fd, TS_MEMORY_STORE_OUT);
	ssize_t len = fd < 0 ? -1 : read(fd, output, PATH_MAX - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return false;
	output[len] = '\0';
	output[strcspn(output, "\n")] = '\0';
	return true;
}

static bool is_for(int hold_fd, const struct place *wanted)
{
	char output[PATH_MAX];
	struct place found;

	return read_output(hold_fd, output) && find_place(&found, output) &&
	       found.dev == wanted->dev && found.ino == wanted->ino &&
	       !strcmp(found.name, wanted->name);
}

/* True if `name` is a locked hold of this user for this place. */
static bool is_holder(int parent_fd, const char *name, const struct place *wanted)
{
	struct stat st;
	bool is_one;
	int fd;

	if (strncmp(name, TS_MEMORY_STORE_PREFIX, sizeof(TS_MEMORY_STORE_PREFIX) - 1))
		return false;
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	is_one = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && ts_recorder_holds(fd) &&
		 is_for(fd, wanted);
	if (fd >= 0)
		close(fd);
	return is_one;
}

int hold_check_free(const char *output, struct ts_error *err)
{
	DIR *dir = opendir(TS_MEMORY_STORE_PARENT);
	const struct dirent *entry;
	struct place wanted;
	int rc = 0;

	if (!dir || !find_place(&wanted, output)) /* later steps meet the reason */
		goto out;
	while (!rc && (entry = readdir(dir)) != NULL) {
		if (!is_holder(dirfd(dir), entry->d_name, &wanted))
			continue;
		ts_error_set(err, EBUSY,
			     "cannot record into %s: process %d is recording there, in memory (-M)",
			     output, atoi(strrchr(entry->d_name, '.') + 1));
		rc = ts_error_hint(err, "wait until it has ended, or name another output with -o");
	}
out:
	if (dir)
		closedir(dir);
	return rc;
}
