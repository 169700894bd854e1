/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executable maps of a process, asked of the kernel one by one (PROCMAP_QUERY, Linux >= 6.11).
 *
 * Reading them as text costs more, because a process with many maps has few that can be executed.
 * The answers have names as they are, without escapes. A build-id comes with its map, from the very
 * file that is mapped.
 *
 * Threads: pure but for the system call; a struct has one owner.
 *
 * Source: include/uapi/linux/fs.h (PROCMAP_QUERY).
 */
#ifndef TS_STREAMER_SYNTHESIS_MAP_QUERY_H
#define TS_STREAMER_SYNTHESIS_MAP_QUERY_H

#include <limits.h>
#include <stdbool.h>

#include "common/base/build_id.h"
#include "streamer/machine/proc_text.h"

struct map_query {
	int fd;		     /* of /proc/PID/maps; borrowed */
	bool with_build_ids; /* reads build-ids from the files, which costs time */
	uint64_t next_addr;  /* where to look next; 0 at first */
	char name[PATH_MAX]; /* of the map that was returned last */
};

/*
 * Finds the next executable map; its name is in q->name. Returns 1, or 0 at the end. -ENOTTY: this
 * kernel cannot answer; another -errno: the process is gone or may not be looked at.
 */
int map_query_next(struct map_query *q, struct proc_map *ret, struct ts_build_id *ret_id);

#endif
