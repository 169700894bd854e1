/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side-band that a recorder has written, read again in the order of time: what the table of what
 * there is now (live_table.h) is fed with at a cut.
 *
 * It goes from chunk header to chunk header and reads the chunks of side-band alone, so the samples of
 * a stream cost one small read a chunk. The streams are our own and complete.
 *
 * Threads: one owner; away from the writers' path.
 */
#ifndef TS_STREAMER_SIDEBAND_LOG_H
#define TS_STREAMER_SIDEBAND_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "streamer/live_table.h"

struct sideband_log {		 /* zeroed: empty */
	struct ts_bytes records; /* whole ones, as they were read */
	struct ts_bytes entries; /* time and place of each */
};

/* Adds the side-band of a stream, the file `name` in dir_fd; `path` of the directory for sentences. */
int sideband_log_read(struct sideband_log *log, int dir_fd, const char *name, const char *path,
		      struct ts_error *err);
/* Feeds all of it to the table, in the order of time. */
int sideband_log_apply(struct sideband_log *log, struct live_table *table, struct ts_error *err);
void sideband_log_release(struct sideband_log *log); /* accepts a zeroed one; idempotent */

#endif
