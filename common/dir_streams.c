// SPDX-License-Identifier: Apache-2.0
/* A capture directory for reading: common/directory.h. Links are followed here, as perf does. */
#include "common/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_PREFIX TS_DIR_DATA "."
#define MOST_STREAMS  65536u

int ts_dir_open(struct ts_dir *ret, const char *path, struct ts_error *err)
{
	*ret = (struct ts_dir)TS_DIR_INIT;
	ret->path = strdup(path);
	if (!ret->path)
		return ts_error_sys(err, ENOMEM, "cannot open %s", path);
	ret->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0)
		return ts_error_sys(err, errno, "cannot open %s", path);
	return 0;
}

/* Numbers in order, before every other suffix. */
static int by_number(const void *left, const void *right)
{
	const struct ts_dir_stream *a = left, *b = right;
	const char *at = a->name + strlen(STREAM_PREFIX), *bt = b->name + strlen(STREAM_PREFIX);
	char *a_end, *b_end;
	const unsigned long long x = strtoull(at, &a_end, 10), y = strtoull(bt, &b_end, 10);
	const bool a_is = *at && !*a_end, b_is = *bt && !*b_end;

	if (a_is != b_is)
		return a_is ? -1 : 1;
	if (a_is && x != y)
		return x < y ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int append(struct ts_dir_streams *s, const char *name, uint64_t size_bytes)
{
	struct ts_dir_stream *items;

	if (s->nr == MOST_STREAMS)
		return -E2BIG;
	items = reallocarray(s->items, s->nr + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	s->items = items;
	items[s->nr] = (struct ts_dir_stream){.name = strdup(name), .size_bytes = size_bytes};
	return items[s->nr].name ? (s->nr++, 0) : -ENOMEM;
}

static int take_entries(const struct ts_dir *d, DIR *dir, struct ts_dir_streams *s)
{
	for (;;) {
		struct dirent *entry;
		struct stat st;
		int rc;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (strncmp(entry->d_name, STREAM_PREFIX, strlen(STREAM_PREFIX)) ||
		    fstatat(d->fd, entry->d_name, &st, 0) || !S_ISREG(st.st_mode))
			continue;
		rc = append(s, entry->d_name, (uint64_t)st.st_size);
		if (rc)
			return rc;
	}
}

int ts_dir_list_streams(const struct ts_dir *d, struct ts_dir_streams *ret, struct ts_error *err)
{
	const int own = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct ts_dir_streams s = {0};
	int rc = dir ? take_entries(d, dir, &s) : -errno;

	if (dir)
		closedir(dir);
	else if (own >= 0)
		close(own);
	if (rc) {
		ts_dir_streams_release(&s);
		return ts_error_sys(err, -rc, "cannot list the streams of %s", d->path);
	}
	if (s.nr)
		qsort(s.items, s.nr, sizeof(*s.items), by_number);
	*ret = s;
	return 0;
}

void ts_dir_streams_release(struct ts_dir_streams *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->items[i].name);
	free(s->items);
	*s = (struct ts_dir_streams){0};
}

int ts_dir_open_file(const struct ts_dir *d, const char *name, uint64_t *ret_size_bytes,
		     struct ts_error *err)
{
	/* O_NONBLOCK: a FIFO of that name must not hold us up */
	const int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0)
		return ts_error_sys(err, errno, "cannot open %s/%s", d->path, name);
	if (fstat(fd, &st))
		rc = ts_error_sys(err, errno, "cannot open %s/%s", d->path, name);
	else if (!S_ISREG(st.st_mode))
		rc = ts_error_set(err, EINVAL, "cannot read %s/%s: it is no regular file", d->path,
				  name);
	else {
		*ret_size_bytes = (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return rc;
}
