/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracepoints, as tracefs lists them: events/SYSTEM/NAME/id.
 *
 * Threads: any; the functions only read tracefs.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_TRACEPOINT_H
#define TS_STREAMER_EVENTS_EVENT_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/*
 * Finds where tracefs is mounted: /sys/kernel/tracing, /sys/kernel/debug/tracing, or a place in the
 * list of mounts. -ENOENT, with a sentence and the command to mount it.
 */
int event_tracefs_find(char *buf, size_t len, struct ts_error *err);

/* Called for each tracepoint. A value other than 0 ends the walk and is returned. */
typedef int (*tracepoint_visit)(void *ctx, const char *system, const char *name, uint64_t id,
				struct ts_error *err);

/*
 * Visits the tracepoints below `root` (NULL: event_tracefs_find()) whose system and name match the
 * patterns (* ? [...]), in the kernel's order. Returns their number. -EACCES or -ENOENT, with a
 * sentence: the folders cannot be read.
 */
int event_tracepoint_for_each(const char *root, const char *system, const char *name,
			      tracepoint_visit visit, void *ctx, struct ts_error *err);

#endif
