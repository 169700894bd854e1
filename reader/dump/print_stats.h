/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the record counts of a capture (report --stats) in perf's layout.
 *
 * Threads: starts none.
 */
#ifndef TS_READER_DUMP_PRINT_STATS_H
#define TS_READER_DUMP_PRINT_STATS_H

#include "common/base/bytes.h"
#include "reader/chunks/chunk_table.h"

/* The table must have been built with CHUNK_TABLE_COUNTS. */
void print_stats(const struct chunk_table *table, struct ts_bytes *out);

#endif
