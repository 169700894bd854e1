/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a perf_event_attr as perf does: ", name = value" for each field that is set.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_DUMP_PRINT_ATTR_H
#define TS_READER_DUMP_PRINT_ATTR_H

#include <linux/perf_event.h>

#include "common/base/bytes.h"

void print_attr(const struct perf_event_attr *attr, struct ts_bytes *out);

#endif
