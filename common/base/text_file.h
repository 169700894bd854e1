/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small text files of /proc and /sys: whole, or line by line.
 *
 * The kernel makes such files while they are read, a page at a time. Both ways therefore read until
 * read() returns 0; the size of stat() means nothing. Paths are relative to dir_fd (AT_FDCWD for
 * the usual meaning).
 *
 * Threads: none of its own; one owner at a time.
 */
#ifndef TS_COMMON_BASE_TEXT_FILE_H
#define TS_COMMON_BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

/* The longest line in bytes; a longer line is cut here. */
#define TS_TEXT_FILE_BUFFER_BYTES 65536

/* An open file, a window of it, and the start of the next line. */
struct ts_text_file {
	int fd;
	size_t start, len; /* the unread part of buf: [start, len) */
	bool at_end;
	char buf[TS_TEXT_FILE_BUFFER_BYTES];
};

/* Returns 0 or -errno. After a failure nothing needs closing. */
int ts_text_file_open(struct ts_text_file *l, int dir_fd, const char *path);
/* Starts on an open descriptor; ts_text_file_close() closes it. */
void ts_text_file_start(struct ts_text_file *l, int fd);
/*
 * Gives the next line, without its newline and without a NUL; it lies in l->buf until the next
 * call. Returns 1, 0 at the end, -errno if reading fails.
 */
int ts_text_file_next(struct ts_text_file *l, const char **ret_line, size_t *ret_len);
void ts_text_file_close(struct ts_text_file *l);

/*
 * Replaces the contents of `text` by the whole file and a NUL that text->len does not count.
 * Returns 0 or -errno.
 */
int ts_text_file_read_all(struct ts_bytes *text, int dir_fd, const char *path);
/* The same from a descriptor, behind what `text` has. */
int ts_text_file_read_fd(struct ts_bytes *text, int fd);
/* As ts_text_file_read_all(), without white space at the end. */
int ts_text_file_read_word(struct ts_bytes *text, int dir_fd, const char *path);
/*
 * Reads a file that holds one number, decimal or 0x. Returns 0 or -errno, -EINVAL if it holds no
 * number.
 */
int ts_text_file_read_u64(uint64_t *ret, int dir_fd, const char *path);
int ts_text_file_read_i64(int64_t *ret, int dir_fd, const char *path);

#endif
