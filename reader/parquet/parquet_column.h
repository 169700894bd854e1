/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column of a Parquet file, and how its values in one row group become pages.
 *
 *	value(row) ...  -> plain        fixed bytes
 *	                -> differences  of neighbours, packed in as few bits as 32 of them need
 *	                -> entries      dictionary page of the entries that occur, then their places
 *	                                |
 *	                                v zstd
 *	                   a chunk: pages with their headers
 *
 * A list has a value for each element, and levels in front of them, which say where rows begin and
 * which rows are empty. No value is missing: all columns are required.
 *
 * Source: README.md, Encodings.md and parquet.thrift of Apache Parquet's format, 2.10.
 *
 * Threads: an encoder and a chunk belong to one thread at a time; columns are constant.
 */
#ifndef TS_READER_PARQUET_PARQUET_COLUMN_H
#define TS_READER_PARQUET_PARQUET_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/parquet/thrift_compact.h"
#include "reader/runtime/memory.h"

enum parquet_type {
	PARQUET_U16,
	PARQUET_U32,
	PARQUET_U64,
	PARQUET_TEXT, /* by entries only */
};

enum parquet_form { /* numbers are those of the format */
		    PARQUET_PLAIN = 0,
		    PARQUET_DIFFERENCES = 5,
		    PARQUET_ENTRIES = 8, /* value() is the number of an entry */
};

/* `table` is the one of the file; row 0 is the first of the group. */
struct parquet_column {
	const char *name;
	enum parquet_type type;
	enum parquet_form form;
	/* Elements of a list; NULL: the column is no list. */
	uint32_t (*length)(const void *table, uint32_t row);
	/* Of element i; 0 if it is no list. */
	uint64_t (*value)(const void *table, uint32_t row, uint32_t i);
	/* Of PARQUET_ENTRIES: how many there are, and an entry, UTF-8 or a number by its type. */
	uint32_t (*nr_entries)(const void *table);
	const char *(*text)(const void *table, uint32_t entry);
	uint64_t (*number)(const void *table, uint32_t entry);
};

struct parquet_encoder { /* of a thread */
	struct memory *memory;
	uint64_t *values; /* owned, as all below; of the group */
	size_t cap_values;
	uint32_t *places; /* by entry: 1 + its place in the dictionary; all 0 between two chunks */
	size_t cap_places;
	uint32_t *entries; /* by place */
	size_t cap_entries;
	struct ts_bytes page, packed;
	void *zstd; /* ZSTD_CCtx */
};

struct parquet_chunk {		   /* of a column in a group */
	struct ts_bytes bytes;	   /* owned: pages */
	uint64_t raw_bytes;	   /* if nothing were compressed, headers included */
	uint64_t nr_values;	   /* elements, and a row without elements counts as one */
	uint32_t dictionary_bytes; /* of the page in front; 0: none */
	uint64_t least, most;	   /* numbers that are no list and no entries: the range */
};

/* The encoder is zeroed but for its memory. 0 or -ENOMEM; release it in any case. */
int parquet_encoder_init(struct parquet_encoder *e, struct memory *memory);
void parquet_encoder_release(struct parquet_encoder *e); /* accepts a zeroed one; idempotent */

/*
 * Replaces the chunk by that of the rows 0 .. nr_rows - 1. -EFBIG: texts or elements of the group need
 * more than 2 GB; -EIO: zstd failed; -ENOMEM.
 */
int parquet_chunk_make(struct parquet_chunk *c, struct parquet_encoder *e,
		       const struct parquet_column *column, const void *table, uint32_t nr_rows);
/* Puts its ColumnChunk, an element of the list of a row group. `offset` is that of its bytes in the file. */
void parquet_chunk_describe(const struct parquet_chunk *c, const struct parquet_column *column,
			    uint64_t offset, struct thrift *t);

/* The elements of the schema that the column has, and puts them. */
uint32_t parquet_column_nr_elements(const struct parquet_column *column);
void parquet_column_declare(const struct parquet_column *column, struct thrift *t);

#endif
