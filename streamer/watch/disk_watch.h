/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches the place that a capture is written to: does its directory still exist, and is there
 * enough room until the next look?
 *
 * It looks once a second, at the beginning sooner, away from the writers' path. A look measures the
 * room that was taken since the last one, by us or by others on the same filesystem. It expects the
 * same rate until the next look. A capture ends as soon as less than --min-free would remain then.
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
/*
 * Returns the bytes to be kept free on a filesystem of this size. The default is the smaller of 1
 * GiB and 2 %. 0: off.
 */
uint64_t disk_min_free_bytes(const struct disk_min_free *min_free, uint64_t filesystem_bytes);

struct disk_watch {
	int dir_fd;	   /* of the capture, not owned; -1: nothing is written */
	const char *path;  /* not owned; for messages */
	bool counts_links; /* the filesystem counts the names of a file; some always report 0 */
	uint64_t min_free_bytes;
	uint64_t next_ns; /* when to look again; TS_TIME_NEVER: nothing is written */

	/* of the last look */
	uint64_t looked_ns, free_bytes, written_bytes, interval_ns;
	uint64_t expected_bytes; /* that will be taken until the next look */
};

/*
 * Begins to watch the directory. -ENOSPC with a sentence: less than --min-free is free already. If
 * the filesystem does not report its free space, --min-free is off. Then it is an error if the user
 * has asked for --min-free.
 */
int disk_watch_open(struct disk_watch *d, int dir_fd, const char *path,
		    const struct disk_min_free *min_free, struct ts_error *err);
/*
 * Looks once. `written_bytes` is the size of all streams so far. Returns 0; -ENOSPC if --min-free
 * is reached; -ENOENT if the directory was removed.
 */
int disk_watch_look(struct disk_watch *d, uint64_t now_ns, uint64_t written_bytes,
		    struct ts_error *err);

/* The capture goes on in another directory, into which nothing is written yet. */
void disk_watch_move(struct disk_watch *d, int dir_fd);

/* --- the parts of a look --- */

/* Notes the result of a look, and sets when the next one is due. */
void disk_watch_note(struct disk_watch *d, uint64_t now_ns, uint64_t free_bytes,
		     uint64_t written_bytes);
/* True if less than --min-free would be free at the next look: the recording must end now. */
bool disk_watch_leaves_too_little(const struct disk_watch *d);

#endif
