/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file to be read: the first step of reading. All of it is mapped, and parts can be copied out of it.
 *
 * An empty file gives no bytes and no error. Who passes over large parts once copies them (map_read()): to
 * map a page costs more than to copy it into memory that is in the processor's cache. Map and descriptor
 * stay valid when the file is renamed or unlinked. Capture files only grow or are replaced by rename; what
 * happens when somebody else truncates one while it is mapped is in sigbus.h.
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
	uint64_t changed_ns; /* wall clock: when the file was written to before it was mapped */
};

/* Maps a regular file that the user named; a FIFO, device or directory is refused (-EINVAL). */
int map_open(struct map *m, const char *path, struct ts_error *err);
/*
 * The same of a name in a directory that is open, which others may have written: it is looked at before it is opened, and no link is
 * followed (-TS_REGULAR_LINK). `path` is for sentences.
 */
int map_open_at(struct map *m, int dir_fd, const char *name, const char *path,
		struct ts_error *err);
/* The same in the directory `folder`, which may be a link itself. */
int map_open_in(struct map *m, const char *folder, const char *name, struct ts_error *err);
/* The same of a file that is open, and may be closed afterwards. */
int map_open_fd(struct map *m, int fd, const char *path, struct ts_error *err);
/*
 * Can it be read? Not where most of the descriptors that the process may have are taken: of a capture with
 * many hundreds of streams the last ones are only mapped.
 */
bool map_can_read(const struct map *m);
/* Reads a part, which must be inside. 0 or -errno; -ENODATA: the file is shorter by now. */
int map_read(const struct map *m, uint64_t offset, uint64_t bytes, void *to);
/* From now on little of it is wanted: what is touched is read, and nothing around it; or not so. */
void map_read_sparsely(const struct map *m, bool is_sparse);
/* This part is wanted next: it is read at once instead of page by page. */
void map_prefetch(const struct map *m, uint64_t offset, uint64_t bytes);
/*
 * Takes a part that was read out of this process, the pages at its ends included; the kernel keeps
 * it as long as it likes, and who still reads there finds it.
 */
void map_give_back(const struct map *m, uint64_t offset, uint64_t bytes);
void map_close(struct map *m); /* accepts a zeroed one; idempotent */

#endif
