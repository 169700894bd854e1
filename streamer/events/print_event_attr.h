/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints an attr for people, in the words and order of `perf record -vv`, so that both can be
 * compared.
 *
 * Threads: pure function.
 *
 * Source: perf_event_attr__fprintf() in tools/perf/util/perf_event_attr_fprintf.c.
 */
#ifndef TS_STREAMER_EVENTS_PRINT_EVENT_ATTR_H
#define TS_STREAMER_EVENTS_PRINT_EVENT_ATTR_H

#include <linux/perf_event.h>
#include <stdio.h>

/*
 * Prints a dashed line, "perf_event_attr:", a line for each field that is not 0, and a dashed line.
 */
void print_event_attr(const struct perf_event_attr *attr, FILE *out);

#endif
