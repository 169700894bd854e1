/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TRACING_DATA section: the formats of the recorded tracepoints, as text from tracefs. perf
 * refuses a capture that has tracepoints but not this section.
 *
 * Threads: none of its own; pure but for reading tracefs.
 *
 * Source: tools/perf/util/trace-event-info.c, trace.dat(5) version 6.
 */
#ifndef TS_STREAMER_DIRECTORY_TRACING_DATA_H
#define TS_STREAMER_DIRECTORY_TRACING_DATA_H

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "streamer/events/event.h"

/*
 * Appends the payload for the tracepoints among the events. `tracefs` is a folder that holds
 * events/; NULL: the mounted one. A format that cannot be read is an error, because the capture
 * could not be read without it. Call it only if there is a tracepoint.
 */
int tracing_data_collect(struct ts_bytes *out, const char *tracefs, const struct event_list *events,
			 struct ts_error *err);

#endif
