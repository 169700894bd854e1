/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file mapped read-only: the first step of reading.
 *
 * The whole file is mapped; an empty file gives no bytes and no error. The mapping stays valid when
 * the file is renamed or unlinked. Capture files only grow or are replaced by rename; what happens when
 * somebody else truncates one while it is mapped is in lost_page.h.
 *
 * Threads: a map is immutable once opened; any number of threads may read it.
 */
#ifndef TS_READER_MAP_H
#define TS_READER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct map {
	const uint8_t *data; /* NULL when len is 0 */
	size_t len;	     /* bytes */
	uint64_t changed_ns; /* wall clock: when the file was written to before it was mapped */
};

/* Maps a regular file; a FIFO, device or directory is refused (-EINVAL). */
int map_open(struct map *m, const char *path, struct ts_error *err);
/* The same of a name in a directory that is open; `path` is for sentences. */
int map_open_at(struct map *m, int dir_fd, const char *name, const char *path,
		struct ts_error *err);
/* The same of a file that is open, and may be closed afterwards. */
int map_open_fd(struct map *m, int fd, const char *path, struct ts_error *err);
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
