/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table `samples` of `export --format=parquet`: a row for each sample, of all exported events.
 *
 * Row groups are slices of time, so a query for a time reads few of them. Within a group the rows are
 * in the order of threads and time, so most columns repeat themselves.
 *
 *	threads  7: 1 4 6 | 9      slice 1: 7 at 1, 7 at 4, 7 at 6, 8 at 2, 9 at 5
 *	         8: 2 | 8 9        slice 2: 7 at 9, 8 at 8, 8 at 9
 *	         9: 5 |
 *
 * Threads: writing uses several; one owner.
 */
#ifndef TS_READER_EXPORT_PARQUET_SAMPLES_H
#define TS_READER_EXPORT_PARQUET_SAMPLES_H

#include "reader/export/parquet_stacks.h"

/*
 * Adds texts to *texts, which *stacks has. Errors are those of parquet_file_open(), parquet_file_put() and
 * parquet_file_close().
 */
int parquet_samples_write(const struct export_source *source, const struct parquet_stacks *stacks,
			  struct parquet_texts *texts, struct result_file *to,
			  const struct parquet_note *notes, uint32_t nr_notes,
			  struct ts_error *err);

#endif
