// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/process_root.h"

#include <stdio.h>
#include <sys/stat.h>

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool process_root(uint32_t pid, char ret[PROCESS_ROOT_BYTES])
{
	char mounts[PROCESS_ROOT_BYTES];
	struct stat st;

	snprintf(mounts, sizeof(mounts), "/proc/%u/ns/mnt", pid);
	snprintf(ret, PROCESS_ROOT_BYTES, "/proc/%u/root", pid);
	return pid && !stat(ret, &st) &&
	       !(is_same(mounts, "/proc/self/ns/mnt") && is_same(ret, "/"));
}
