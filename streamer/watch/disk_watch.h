/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks after the place that a capture is written to: does its directory still stand, and is there
 * room for what comes until the next look?
 *
 * It looks once a second, at the beginning sooner, away from the writers' path. What was taken since
 * the last look (by us, or by others on the same filesystem) is what the time until the next one is
 * expected to take; a capture ends as soon as less than --min-free would remain then.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_DISK_WATCH_H
#define TS_STREAMER_WATCH_DISK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"

struct disk_min_free { /* --min-free */
	enum { MIN_FREE_DEFAULT, MIN_FREE_BYTES, MIN_FREE_PERCENT } kind;
	uint64_t value; /* bytes, or percent of the filesystem; 0: off */
};

/* "512M", "5%", "0". -EINVAL. */
int disk_min_free_parse(const char *text, struct disk_min_free *ret);
/* On a filesystem of that many bytes; by default the smaller of 1 GiB and 2 %. 0: off. */
uint64_t disk_min_free_bytes(const struct disk_min_free *min_free, uint64_t filesystem_bytes);

struct disk_watch {
	int dir_fd;	   /* of the capture, not owned; -1: nothing is written */
	const char *path;  /* not owned; for sentences */
	bool counts_links; /* the filesystem tells how many names a file has; some say always 0 */
	uint64_t min_free_bytes;
	uint64_t next_ns; /* when to look again; TS_TIME_NEVER: nothing is written */

	/* of the last look */
	uint64_t looked_ns, free_bytes, written_bytes, interval_ns;
	uint64_t expected_bytes; /* what will be taken until the next one */
};

/*
 * Begins to look after the directory. -ENOSPC with a sentence when less than --min-free is free
 * already. Where the filesystem does not tell how much is free, --min-free is off; it is an error
 * then to have asked for it.
 */
int disk_watch_open(struct disk_watch *d, int dir_fd, const char *path,
		    const struct disk_min_free *min_free, struct ts_error *err);
/*
 * Looks, `written_bytes` of the streams being written so far. 0; -ENOSPC: --min-free is reached;
 * -ENOENT: the directory was removed.
 */
int disk_watch_look(struct disk_watch *d, uint64_t now_ns, uint64_t written_bytes,
		    struct ts_error *err);

/* The capture goes on in another directory, of which nothing is written yet. */
void disk_watch_move(struct disk_watch *d, int dir_fd);

/* --- the parts of it --- */

/* Notes a look that found that much free, and when the next one is due. */
void disk_watch_note(struct disk_watch *d, uint64_t now_ns, uint64_t free_bytes,
		     uint64_t written_bytes);
/* At the next look less than --min-free would be free: it is time to end. */
bool disk_watch_leaves_too_little(const struct disk_watch *d);

#endif
