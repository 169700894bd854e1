/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encodings of values within a page of a Parquet file.
 *
 * Source: Encodings.md of Apache Parquet's format, 2.10: PLAIN, RLE, RLE_DICTIONARY and DELTA_BINARY_PACKED.
 *
 * Threads: one owner of the bytes; lack of memory is sticky in them.
 */
#ifndef TS_READER_PARQUET_PARQUET_VALUES_H
#define TS_READER_PARQUET_PARQUET_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

/* A plain number of 4 or 8 bytes, or a text. */
void parquet_values_put(struct ts_bytes *out, uint64_t value, unsigned int bytes);
void parquet_values_put_text(struct ts_bytes *out, const char *text);

/* Places in a dictionary of nr_entries entries, in whole bytes, because zstd finds these again. */
void parquet_values_put_places(struct ts_bytes *out, const uint64_t *places, size_t nr,
			       uint32_t nr_entries);

/* Differences of neighbours, modulo 2^32 or 2^64: numbers have 4 or 8 bytes. */
void parquet_values_put_differences(struct ts_bytes *out, const uint64_t *values, size_t nr,
				    unsigned int bytes);

/* Levels of one bit as runs of equal ones. */
struct parquet_runs {
	struct ts_bytes *out;
	uint64_t nr; /* of the run that has begun */
	uint8_t level;
};

void parquet_runs_add(struct parquet_runs *r, uint8_t level, uint32_t nr);
void parquet_runs_end(struct parquet_runs *r);

#endif
