/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TRACING_DATA section: the formats of the tracepoints recorded, as text from tracefs, without
 * which perf refuses a capture that has tracepoints.
 *
 * Threads: none of its own; pure but for reading tracefs.
 *
 * Source: tools/perf/util/trace-event-info.c, trace.dat(5) version 6.
 */
#ifndef STREAMER_TRACING_DATA_H
#define STREAMER_TRACING_DATA_H

#include <stddef.h>

#include "common/bytes.h"
#include "common/error.h"

/*
 * Appends the payload. `tracefs` is where it is mounted ("/sys/kernel/tracing"); `events` names the
 * tracepoints as "system:event" (the tracepoint's own name, not one given with a name= term), in
 * any order, repeats allowed. An unreadable format is an error: the capture could not be read
 * without it.
 */
int tracing_data_collect(struct ts_bytes *out, const char *tracefs, const char *const *events,
			 size_t nr_events, struct ts_error *err);

#endif
