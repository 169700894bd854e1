/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Valid captures of each kind, made by code: what the targets begin with.
 *
 * `nr` chooses among many of them. Records are those of tests/support/task_records.h, of events that
 * seed_events() gives.
 *
 * Threads: one.
 */
#ifndef TS_TESTS_FUZZ_SEEDS_H
#define TS_TESTS_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/perf/record.h"

/* Indexed; one or two of them. The caller's to release. */
struct ts_events seed_events(uint32_t nr);
/* Names, maps and samples, and records of the tools. */
void seed_records(uint32_t nr, struct ts_bytes *out);
/* A stream of ours: plain and compressed chunks, some with index and footer. */
void seed_own_stream(uint32_t nr, struct ts_bytes *out);
/* A stream of perf's: plain, or compressed as types 81 or 83, in one endless frame. */
void seed_foreign_stream(uint32_t nr, struct ts_bytes *out);
/* A perf.data file with features, or what perf writes to a pipe. */
void seed_file(uint32_t nr, struct ts_bytes *out);
/* A tstream.json: of a recording that ended or runs, with the losses of one ring. */
void seed_note(uint32_t nr, struct ts_bytes *out);

/*
 * Gives every record of ours in a stream the checksum and the place that it should have, so that what
 * is behind them is reached, too.
 */
void seal_stream(uint8_t *data, size_t size);

#endif
