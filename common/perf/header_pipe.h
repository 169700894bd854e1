/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of a file that perf wrote to a pipe (`perf record -o -`): a magic, then only records.
 * The contents of a file header are in records, which may stand anywhere:
 *
 * - an ATTR record for each event with its ids,
 * - a FEATURE record for each feature,
 * - EVENT_UPDATE with names, and BUILD_ID,
 * - TRACING_DATA, with the formats of tracepoints behind it.
 *
 * Only header.c uses this; it parses both kinds.
 *
 * Threads: none of its own.
 */
#ifndef TS_COMMON_PERF_HEADER_PIPE_H
#define TS_COMMON_PERF_HEADER_PIPE_H

#include "common/perf/header.h"

/*
 * Walks the sound records of the file at [base, base + len) and fills events (not indexed),
 * features and the place of the records in *h. -ENOMEM is the only error; the caller then releases
 * *h.
 */
int ts_header_pipe_collect(const uint8_t *base, size_t len, struct ts_header *h);
/* Gives indexed events the names of EVENT_UPDATE records. 0 or -ENOMEM. */
int ts_header_pipe_name_events(const uint8_t *base, size_t len, struct ts_events *evs);

/*
 * Has the attr (of `size` readable bytes) a field, a flag or a sample_type bit that is set and
 * unknown here?
 */
bool ts_header_attr_is_newer(const uint8_t *attr, size_t size);

#endif
