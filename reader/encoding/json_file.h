/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result of JSON, written as a stream: members go into a block, and full blocks into the file, as one
 * gzip member.
 *
 *	json_file_open()
 *	json_open(&f->json ...), json_file_pass() now and then, between members
 *	json_file_close()    the end: without it the file is cut
 *	json_file_release()  in any case
 *
 * Threads: one owner.
 */
#ifndef TS_READER_ENCODING_JSON_FILE_H
#define TS_READER_ENCODING_JSON_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/encoding/gzip_file.h"
#include "reader/runtime/json_text.h"

struct json_file {
	struct json json; /* members are put here */
	struct ts_bytes block;
	struct gzip_file gzip;
	struct result_file *to;
	uint64_t nr_bytes, most_bytes; /* of JSON, without the block */
	const char *
		instead; /* the format that the hint of -EFBIG names; NULL: none. Set it after opening */
};

/* A table of JSON is an array for each column. */
struct json_column {
	const char *name;
	/* puts the value of a row, without a key; `from` is the caller's */
	void (*put)(const void *from, uint64_t row, struct json *j);
	const char *same; /* instead of put: the value of all rows, as JSON */
};

/* *to must outlive *f, whose address json.out has. */
int json_file_open(struct json_file *f, struct result_file *to, uint64_t most_bytes,
		   const struct progress *progress, unsigned int nr_workers, struct ts_error *err);
/*
 * Writes the block if it is full. Errors are those of gzip_file_write(), or -EFBIG: there is more JSON than
 * most_bytes.
 */
int json_file_pass(struct json_file *f, struct ts_error *err);
/* A member that is an array of nr values, with passes in between. Errors are those of json_file_pass(). */
int json_file_column(struct json_file *f, const struct json_column *column, uint64_t nr,
		     const void *from, struct ts_error *err);
/* "length": nr, then the columns up to one without a name. */
int json_file_columns(struct json_file *f, const struct json_column *columns, uint64_t nr,
		      const void *from, struct ts_error *err);
int json_file_close(struct json_file *f, struct ts_error *err);
void json_file_release(struct json_file *f); /* accepts a zeroed one; idempotent */

#endif
