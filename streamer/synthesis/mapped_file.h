/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build-id of a file that an MMAP2 record names by device and inode, while the map is young.
 *
 * The process may have ended, and the file may have been deleted or replaced. In this order:
 *
 *	PROCMAP_QUERY      of the very map, if the process still has it (Linux >= 6.11)
 *	PID/map_files      the same as a file, for the privileged
 *	PID/root/PATH      the file with that path now, as the process sees it
 *	PATH               the same as we see it, if the process is gone
 *
 * If the first thread of the process has ended, only the thread that mapped the file has the first
 * three. A file must be regular and have the recorded inode, and the generation where the filesystem
 * tells it (not tmpfs, NFS and layers). Nothing else is opened (regular.h).
 *
 * Threads: pure but for the files.
 */
#ifndef TS_STREAMER_SYNTHESIS_MAPPED_FILE_H
#define TS_STREAMER_SYNTHESIS_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/build_id.h"

/*
 * Opens the regular file at a path for reading, if it has that inode (0: it may have any), and opens
 * nothing else. -errno: there is none, or it cannot be opened. The caller closes it.
 */
int mapped_file_open(int dir_fd, const char *path, uint64_t ino);
/*
 * `record`: a whole MMAP2 without build-id. Returns 1 if the file was read; *ret is then its
 * build-id (len 0: it has none). Otherwise *ret has len 0. 0: the file is gone, or cannot be read.
 * -errno: a shortage (ts_error_is_shortage()), and the file may be there. A disk that fails is no
 * shortage: it is slow, and fails again.
 */
int mapped_file_look(const void *record, struct ts_build_id *ret);

#endif
