// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/process_root.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first thread is gone: /proc/PID has neither a root, nor a program, nor maps. */
static bool is_left(uint32_t pid)
{
	char path[PROCESS_ROOT_BYTES], ignored;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	return readlink(path, &ignored, 1) < 0 && errno == ENOENT;
}

uint32_t process_root_thread(uint32_t pid)
{
	char path[PROCESS_ROOT_BYTES];
	const struct dirent *entry;
	uint32_t found = pid;
	DIR *dir;

	if (!is_left(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && found == pid && (entry = readdir(dir)) != NULL) {
		const uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid && tid != pid && !is_left(tid))
			found = tid;
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool process_root(uint32_t pid, char ret[PROCESS_ROOT_BYTES])
{
	const uint32_t tid = process_root_thread(pid);
	char mounts[PROCESS_ROOT_BYTES];
	struct stat st;

	snprintf(mounts, sizeof(mounts), "/proc/%u/ns/mnt", tid);
	snprintf(ret, PROCESS_ROOT_BYTES, "/proc/%u/root", tid);
	return pid && !stat(ret, &st) &&
	       !(is_same(mounts, "/proc/self/ns/mnt") && is_same(ret, "/"));
}
