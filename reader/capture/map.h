/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is read. The whole file is mapped, and map_read() copies parts of it.
 *
 * An empty file gives no bytes and no error. Sequential passes over large parts use map_read():
 * mapping a page costs more than copying it into memory that is in the processor's cache. Map and
 * descriptor stay valid when the file is renamed or unlinked. Capture files only grow, or a rename
 * replaces them. sigbus.h describes what happens if another process truncates a mapped file.
 *
 * Threads: a map is immutable once opened; any number of threads may read it.
 */
#ifndef TS_READER_CAPTURE_MAP_H
#define TS_READER_CAPTURE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct map {
	const uint8_t *data; /* NULL when len is 0 */
	size_t len;	     /* bytes */
	int fd;		     /* for map_read(); 0: none, see map_can_read() */
	uint64_t changed_ns; /* wall clock: the last write to the file before it was mapped */
};

/* Maps a regular file that the user named; a FIFO, device or directory is refused (-EINVAL). */
int map_open(struct map *m, const char *path, struct ts_error *err);
/*
 * The same for a name in an open directory that others may have written. The file is examined
 * before it is opened, and a link is not followed (-TS_REGULAR_LINK). `path` is for messages.
 */
int map_open_at(struct map *m, int dir_fd, const char *name, const char *path,
		struct ts_error *err);
/* The same in the directory `folder`. That path itself may be a link. */
int map_open_in(struct map *m, const char *folder, const char *name, struct ts_error *err);
/* The same for an open file; the caller may close `fd` afterwards. */
int map_open_fd(struct map *m, int fd, const char *path, struct ts_error *err);
/*
 * Can map_read() be used? It cannot if most of the descriptors that the process may have are taken:
 * the last streams of a capture with many hundreds are only mapped.
 */
bool map_can_read(const struct map *m);
/*
 * Copies a part, which must lie inside the map. 0 or -errno; -ENODATA: the file is shorter by now.
 */
int map_read(const struct map *m, uint64_t offset, uint64_t bytes, void *to);
/*
 * Sparse: little of the file will be read, so the kernel reads nothing around an access. False: the
 * usual reading ahead.
 */
void map_read_sparsely(const struct map *m, bool is_sparse);
/* Asks the kernel to read this part at once, instead of page by page. */
void map_prefetch(const struct map *m, uint64_t offset, uint64_t bytes);
/*
 * Takes a part out of this process, including the pages at its ends. The kernel may keep the pages
 * in its cache, where later accesses find them.
 */
void map_give_back(const struct map *m, uint64_t offset, uint64_t bytes);
void map_close(struct map *m); /* accepts a zeroed one; idempotent */

#endif
