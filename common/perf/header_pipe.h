/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of what perf wrote to a pipe (`perf record -o -`): a magic, then nothing but records.
 * What stands in the header of a file is in some of them, anywhere: an ATTR record for each event
 * with its ids, a FEATURE record for each feature, EVENT_UPDATE with names, BUILD_ID, and
 * TRACING_DATA, behind which the formats of tracepoints follow.
 *
 * For header.c alone, which parses both kinds.
 *
 * Threads: none of its own.
 */
#ifndef TS_COMMON_PERF_HEADER_PIPE_H
#define TS_COMMON_PERF_HEADER_PIPE_H

#include "common/perf/header.h"

/*
 * Goes through the records of the file at [base, base + len) and fills events (not indexed),
 * features and the place of the records in *h, as far as there are sound records. -ENOMEM is the
 * only error; what is then in *h is the caller's to release.
 */
int ts_pipe_collect(const uint8_t *base, size_t len, struct ts_header *h);
/* The names that EVENT_UPDATE records give to indexed events. 0 or -ENOMEM. */
int ts_pipe_name_events(const uint8_t *base, size_t len, struct ts_events *evs);

/*
 * Has the attr (size bytes of it are there) a field, a flag or a sample_type bit that is set and
 * not known here?
 */
bool ts_attr_is_newer(const uint8_t *attr, size_t size);

#endif
