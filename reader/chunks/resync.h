/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the records again behind a damaged place of a stream that has no chunks.
 *
 * Records of perf's files have no magic. Bytes that look like four records in a row, or like
 * records up to the end of the stream, are taken for records.
 *
 * Records lie on a grid of 8 bytes, until a tool writes one of an odd size
 * (docs/decisions/0158-grid-of-records.md). The caller says the step of the search.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_CHUNKS_RESYNC_H
#define TS_READER_CHUNKS_RESYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/record.h"

/* Does a run of records begin at `at`, of a stream or a part of one that ends at `end`? */
bool resync_is_run(const struct ts_events *events, const uint8_t *at, const uint8_t *end);
/*
 * Offset of the next run of records in [base, base + end), at `from` or a multiple of `step` bytes
 * behind it. `end` if there is none.
 */
uint64_t resync_next(const struct ts_events *events, const uint8_t *base, uint64_t from,
		     uint64_t end, unsigned int step);
/*
 * The same for a place that need not be damaged, if the run begins before `until`; else `end`. The
 * run must leave any record that it may lie in, since a dumped stack can hold records.
 */
uint64_t resync_guess(const struct ts_events *events, const uint8_t *base, uint64_t from,
		      uint64_t until, uint64_t end, unsigned int step);

#endif
