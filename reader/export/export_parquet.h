/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Parquet format: a directory of two tables, samples.parquet and stacks.parquet, for DuckDB, Spark,
 * ClickHouse and whatever else reads Parquet. Columns have the names and meanings of the tables in which
 * captures of many hosts are kept (decision 186).
 *
 * Threads: one thread; writing uses several.
 */
#ifndef TS_READER_EXPORT_EXPORT_PARQUET_H
#define TS_READER_EXPORT_EXPORT_PARQUET_H

#include "reader/commands/result_folder.h"
#include "reader/export/export_source.h"

/* The names of its files; ends with NULL. */
extern const char *const export_parquet_files[];

/* Errors are those of parquet_file_put() and result_folder_create(). */
int export_parquet_write(const struct export_source *source, struct result_folder *to,
			 struct ts_error *err);

#endif
