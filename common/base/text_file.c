// SPDX-License-Identifier: Apache-2.0
#include "common/base/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_some(int fd, void *to, size_t len)
{
	ssize_t got;

	do
		got = read(fd, to, len);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

void ts_text_file_start(struct ts_text_file *l, int fd)
{
	l->fd = fd;
	l->start = 0;
	l->len = 0;
	l->at_end = false;
}

int ts_text_file_open(struct ts_text_file *l, int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ts_text_file_start(l, fd);
	return 0;
}

/* Moves the unread part to the front and reads more behind it. */
static int refill_buffer(struct ts_text_file *l)
{
	ssize_t got;

	memmove(l->buf, l->buf + l->start, l->len - l->start);
	l->len -= l->start;
	l->start = 0;
	got = read_some(l->fd, l->buf + l->len, sizeof(l->buf) - l->len);
	if (got < 0)
		return (int)got;
	l->at_end = got == 0;
	l->len += (size_t)got;
	return 0;
}

int ts_text_file_next(struct ts_text_file *l, const char **ret_line, size_t *ret_len)
{
	size_t seen = 0;

	for (;;) {
		char *from = l->buf + l->start;
		size_t unread = l->len - l->start;
		char *newline = memchr(from + seen, '\n', unread - seen);
		bool whole = newline || (l->at_end && unread) || unread == sizeof(l->buf);
		int failed;

		if (whole) {
			*ret_line = from;
			*ret_len = newline ? (size_t)(newline - from) : unread;
			l->start += *ret_len + (newline ? 1 : 0);
			return 1;
		}
		if (l->at_end)
			return 0;
		seen = unread;
		failed = refill_buffer(l);
		if (failed)
			return failed;
	}
}

void ts_text_file_close(struct ts_text_file *l)
{
	close(l->fd);
	l->fd = -1;
}

int ts_text_file_read_fd(struct ts_bytes *text, int fd)
{
	for (;;) {
		char *to = ts_bytes_reserve(text, 4096 + 1);
		ssize_t got;

		if (!to)
			return -ENOMEM;
		got = read_some(fd, to, 4096);
		if (got < 0)
			return (int)got;
		to[got] = '\0';
		if (!got)
			return 0;
		text->len += (size_t)got;
	}
}

int ts_text_file_read_all(struct ts_bytes *text, int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	int failed;

	ts_bytes_clear(text);
	if (fd < 0)
		return -errno;
	failed = ts_text_file_read_fd(text, fd);
	close(fd);
	return failed;
}

int ts_text_file_read_word(struct ts_bytes *text, int dir_fd, const char *path)
{
	int failed = ts_text_file_read_all(text, dir_fd, path);

	if (failed)
		return failed;
	while (text->len && isspace(text->data[text->len - 1]))
		text->len--;
	text->data[text->len] = '\0';
	return 0;
}

int ts_text_file_read_u64(uint64_t *ret, int dir_fd, const char *path)
{
	struct ts_bytes text = {0};
	int failed = ts_text_file_read_word(&text, dir_fd, path);
	char *end;
	uint64_t value;

	if (!failed) {
		errno = 0;
		value = strtoull((char *)text.data, &end, 0);
		failed = errno || *end || end == (char *)text.data ? -EINVAL : 0;
	}
	if (!failed)
		*ret = value;
	ts_bytes_release(&text);
	return failed;
}

int ts_text_file_read_i64(int64_t *ret, int dir_fd, const char *path)
{
	struct ts_bytes text = {0};
	int failed = ts_text_file_read_word(&text, dir_fd, path);
	char *end;
	int64_t value;

	if (!failed) {
		errno = 0;
		value = strtoll((char *)text.data, &end, 0);
		failed = errno || *end || end == (char *)text.data ? -EINVAL : 0;
	}
	if (!failed)
		*ret = value;
	ts_bytes_release(&text);
	return failed;
}
