/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side-band that a recorder has written, read again in the order of time. At a cut it feeds the
 * table of the current state (live_table.h), or a part of it goes on in another directory.
 *
 * Reading goes from chunk header to chunk header and reads the chunks of side-band alone. So the
 * samples of a stream cost one small read a chunk. The streams are our own and complete.
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
	struct ts_bytes records; /* whole records, as they were read */
	struct ts_bytes entries; /* time and place of each */
	size_t known_bytes; /* of `records`, from the first on: those that the table already has */
};

/*
 * Begins the log with a run of whole records that the table already has; call it before any
 * reading.
 */
void sideband_log_know(struct sideband_log *log, const void *run, size_t len);

/*
 * Adds the side-band of a stream, the file `name` in dir_fd; `path`: of the directory, for error
 * sentences.
 */
int sideband_log_read(struct sideband_log *log, int dir_fd, const char *name, const char *path,
		      struct ts_error *err);
/* Adds a run of whole records of our own, with their times. */
void sideband_log_add(struct sideband_log *log, const void *run, size_t len);
/* Feeds the records that the table lacks to it, in the order of time. */
int sideband_log_apply(struct sideband_log *log, struct live_table *table, struct ts_error *err);
/*
 * Appends side-band in the order of time: to `tasks` that of the processes in `needed`, to `others`
 * new records of programs and cgroups. Out of memory shows in ts_bytes_failed(). Call it after
 * sideband_log_apply(), which sorts the log.
 */
void sideband_log_put(const struct sideband_log *log, const struct needed_tasks *needed,
		      struct ts_bytes *tasks, struct ts_bytes *others);
/*
 * Adds the parents of the processes in `needed`, since children have their parents' maps. Call it
 * before `needed` is used.
 */
void sideband_log_add_parents(const struct sideband_log *log, struct needed_tasks *needed);
void sideband_log_release(struct sideband_log *log); /* accepts a zeroed one; idempotent */

#endif
