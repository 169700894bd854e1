/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a name for an event without one, from type and config, as perf does.
 *
 * Used for captures without EVENT_DESC. The name of a tracepoint needs tracefs or TRACING_DATA,
 * which this module does not read.
 *
 * Threads: pure function.
 *
 * Source: tools/perf/util/evsel.c, evsel__name().
 */
#ifndef TS_COMMON_PERF_EVENT_NAME_H
#define TS_COMMON_PERF_EVENT_NAME_H

#include <linux/perf_event.h>
#include <stddef.h>

#define TS_EVENT_NAME_BYTES 96 /* room for the longest that ts_event_name() makes */

/* Writes the name ("cpu-clock:HG", "raw 0x1c2", "unknown tracepoint") into buf, NUL-terminated. */
void ts_event_name(const struct perf_event_attr *attr, char *buf, size_t len);

#endif
