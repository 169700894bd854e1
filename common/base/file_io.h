/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files by descriptor: whole writes, replacement by rename, stream files (direct or buffered).
 *
 * Names are single components relative to a directory descriptor, and links are never followed.
 * `where` is the path of that directory as the user knows it; only sentences use it.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_COMMON_BASE_FILE_IO_H
#define TS_COMMON_BASE_FILE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

/*
 * Adds a hint to the error of a failed write, if the file would be too large or the disk is full.
 * The hint begins with the words `before`; other errors stay as they are. Returns -err->code.
 */
int ts_file_hint_write(struct ts_error *err, const char *before);

/* Writes all bytes; goes on after EINTR and after short writes. 0 or -errno. */
int ts_file_write_all(int fd, const void *data, size_t len);
/* The same at this offset; the position of the descriptor stays. */
int ts_file_write_all_at(int fd, const void *data, size_t len, off_t at);

/*
 * Replaces dirfd/name in one step by a file of these bytes: writes dirfd/tmp-NAME (mode 0600), then
 * renames it. On failure the old file stays and tmp-NAME is removed. With `sync` the bytes reach
 * the disk before the rename, and the new name reaches the disk before the function returns.
 */
int ts_file_replace(int dirfd, const char *name, const char *where, const void *data, size_t len,
		    bool sync, struct ts_error *err);

/* A stream file open for writing. */
struct ts_stream_file {
	int fd;
	bool direct;  /* O_DIRECT, on a filesystem whose direct writes are whole or absent */
	size_t align; /* of memory, offset and length of each write; >= 4096, a power of two */
};

enum ts_stream_io {
	TS_STREAM_AUTO,	    /* direct where the filesystem is known for it (ext4, xfs) */
	TS_STREAM_BUFFERED, /* never direct */
};

/* Creates dirfd/name with mode 0600; the name must not exist. */
int ts_stream_file_create(int dirfd, const char *name, const char *where, enum ts_stream_io io,
			  struct ts_stream_file *ret, struct ts_error *err);
void ts_stream_file_close(struct ts_stream_file *f); /* accepts { .fd = -1 } */

#endif
