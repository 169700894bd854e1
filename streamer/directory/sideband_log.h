/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side-band that a recorder has written, read again in the order of time: what the table of what
 * there is now (live_table.h) is fed with at a cut, or a part of which goes on in another directory.
 *
 * It goes from chunk header to chunk header and reads the chunks of side-band alone, so the samples of
 * a stream cost one small read a chunk. The streams are our own and complete.
 *
 * Threads: one owner; away from the writers' path.
 */
#ifndef TS_STREAMER_DIRECTORY_SIDEBAND_LOG_H
#define TS_STREAMER_DIRECTORY_SIDEBAND_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "streamer/directory/live_table.h"

struct sideband_log {		 /* zeroed: empty */
	struct ts_bytes records; /* whole ones, as they were read */
	struct ts_bytes entries; /* time and place of each */
	size_t known_bytes;	 /* of these records, the first ones, which the table has already */
};

/* Begins it with a run of whole records that the table has already; nothing has been read yet. */
void sideband_log_know(struct sideband_log *log, const void *run, size_t len);

/* Adds the side-band of a stream, the file `name` in dir_fd; `path` of the directory for sentences. */
int sideband_log_read(struct sideband_log *log, int dir_fd, const char *name, const char *path,
		      struct ts_error *err);
/* Feeds to the table what it has not yet, in the order of time. */
int sideband_log_apply(struct sideband_log *log, struct live_table *table, struct ts_error *err);
/*
 * Appends, in the order of time, what must be known of the processes in `needed` to `tasks`, and what is
 * new of programs and cgroups to `others`. Out of memory shows in ts_bytes_failed(). After
 * sideband_log_apply(), which brings it in order.
 */
void sideband_log_put(const struct sideband_log *log, const struct needed_tasks *needed,
		      struct ts_bytes *tasks, struct ts_bytes *others);
/* Adds to a set those that processes in it were forked from, whose maps they have. Before it is used. */
void sideband_log_add_parents(const struct sideband_log *log, struct needed_tasks *needed);
void sideband_log_release(struct sideband_log *log); /* accepts a zeroed one; idempotent */

#endif
