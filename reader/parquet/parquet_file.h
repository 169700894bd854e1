/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as a Parquet file, written row group by row group, so that its size is bounded by the disk
 * alone. The columns of a group are encoded and compressed by several threads.
 *
 *	parquet_file_open()
 *	parquet_file_put()      the group of the rows that the table has now ...
 *	parquet_file_close()    the footer: without it the file cannot be read
 *	parquet_file_release()  in any case
 *
 *	"PAR1" | group 0: chunk of column 0, of column 1 ... | group 1 ... | footer | its bytes | "PAR1"
 *
 * The bytes do not depend on the number of threads.
 *
 * Source: README.md and parquet.thrift of Apache Parquet's format, 2.10.
 *
 * Threads: one owner; writing uses several, which read the table at the same time.
 */
#ifndef TS_READER_PARQUET_PARQUET_FILE_H
#define TS_READER_PARQUET_PARQUET_FILE_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/parquet/parquet_column.h"
#include "reader/runtime/progress.h"

#define PARQUET_GROUP_ROWS (128u << 10) /* of a good group; elements of a list count as rows */

struct parquet_table {
	const char *name;
	const struct parquet_column *columns; /* constant */
	uint32_t nr_columns;
	const void *rows; /* what the columns read; it changes between groups */
};

struct parquet_note { /* a pair in the footer */
	const char *key, *value;
};

struct parquet_file {
	struct result_file *to;
	struct parquet_table table;
	const struct progress *progress;
	struct parquet_encoder *encoders; /* owned; by thread */
	unsigned int nr_encoders;
	struct parquet_chunk *chunks; /* owned; by column */
	struct ts_bytes groups;	      /* their descriptions, for the footer */
	uint32_t nr_groups;
	uint64_t nr_rows, offset;
};

/* *to, *progress, the memory and the table must outlive *f. -ENOMEM, or an error of result_file_write(). */
int parquet_file_open(struct parquet_file *f, struct result_file *to,
		      const struct parquet_table *table, struct memory *memory,
		      const struct progress *progress, unsigned int nr_workers,
		      struct ts_error *err);
/*
 * Writes the rows 0 .. nr_rows - 1 of the table, at least one, as a group. -EINTR without a sentence: it
 * was stopped; -EFBIG: its texts need more than 2 GB; else as above.
 */
int parquet_file_put(struct parquet_file *f, uint32_t nr_rows, struct ts_error *err);
/* The program is named in the footer, too. */
int parquet_file_close(struct parquet_file *f, const struct parquet_note *notes, uint32_t nr_notes,
		       struct ts_error *err);
void parquet_file_release(struct parquet_file *f); /* accepts a zeroed one; idempotent */

#endif
