// SPDX-License-Identifier: Apache-2.0
#include "reader/commands/result_mark.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define NAME	   "user.tstream.result"
#define MARK_NEW   "new" /* its value until the file is complete; then size and time */
#define MARK_BYTES 64

/* Names what the file holds: somebody who writes to it changes its size or its time. */
static void put_mark(char mark[MARK_BYTES], const struct stat *st)
{
	snprintf(mark, MARK_BYTES, "%lld %lld.%09ld", (long long)st->st_size,
		 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

/* Without attributes on the filesystem, the next result needs --force. */
static void mark(int fd, const char *value)
{
	(void)fsetxattr(fd, NAME, value, strlen(value), 0);
}

static bool has_mark(int fd, const char *value)
{
	char got[MARK_BYTES];
	const ssize_t len = fgetxattr(fd, NAME, got, sizeof(got));

	return len == (ssize_t)strlen(value) && !memcmp(got, value, (size_t)len);
}

void result_mark_begin(int fd)
{
	mark(fd, MARK_NEW);
}

void result_mark_end(int fd)
{
	char value[MARK_BYTES];
	struct stat st;

	if (fstat(fd, &st))
		return;
	put_mark(value, &st);
	mark(fd, value);
}

bool result_mark_is_true(int fd)
{
	char value[MARK_BYTES];
	struct stat st;

	if (fstat(fd, &st))
		return false;
	put_mark(value, &st);
	return !st.st_size || has_mark(fd, value);
}

bool result_mark_is_left(int fd)
{
	return has_mark(fd, MARK_NEW) || result_mark_is_true(fd);
}
