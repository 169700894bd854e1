/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracepoints, as tracefs lists them: events/SYSTEM/NAME/id.
 *
 * Threads: none of its own; reads tracefs.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_TRACEPOINT_H
#define TS_STREAMER_EVENTS_EVENT_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/*
 * Where tracefs is mounted: /sys/kernel/tracing, /sys/kernel/debug/tracing, or what the list of
 * mounts says. -ENOENT with a sentence and the command to mount it.
 */
int tracefs_find(char *buf, size_t len, struct ts_error *err);

/* Called for each tracepoint; a value that is not 0 ends the walk and is returned. */
typedef int (*tracepoint_visit)(void *ctx, const char *system, const char *name, uint64_t id,
				struct ts_error *err);

/*
 * Visits the tracepoints below `root` (NULL: tracefs_find()) whose system and name match the
 * patterns (* ? [...]), in the order in which the kernel lists them. Returns how many there were;
 * -EACCES, -ENOENT with a sentence where the folders cannot be read.
 */
int tracepoint_for_each(const char *root, const char *system, const char *name,
			tracepoint_visit visit, void *ctx, struct ts_error *err);

#endif
