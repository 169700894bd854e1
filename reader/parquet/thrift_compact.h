/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs in Thrift's compact protocol: the form of the headers and the footer of a Parquet file.
 *
 * Each field has a number, and fields are put in the order of their numbers. Lists are put element by
 * element: field 0 stands for "the next element".
 *
 *	struct thrift t = {.out = &bytes};
 *	thrift_i32(&t, 1, 7);
 *	thrift_list(&t, 2, THRIFT_STRUCT, 1);
 *	thrift_struct(&t, 0); ... thrift_end(&t);
 *	thrift_end(&t);
 *
 * Source: doc/specs/thrift-compact-protocol.md of Apache Thrift.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_PARQUET_THRIFT_COMPACT_H
#define TS_READER_PARQUET_THRIFT_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"

#define THRIFT_DEPTH 8 /* structs within structs */

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BYTES = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

struct thrift {
	struct ts_bytes *out; /* lack of memory is sticky there */
	unsigned int depth;
	uint8_t last[THRIFT_DEPTH]; /* by depth: number of the last field */
};

/* As ts_bytes_varint(), but 0, -1, 1, -2 become 0, 1, 2, 3. */
void thrift_zigzag(struct ts_bytes *out, int64_t value);

void thrift_bool(struct thrift *t, uint8_t field, bool value); /* no element of a list */
void thrift_i32(struct thrift *t, uint8_t field, int32_t value);
void thrift_i64(struct thrift *t, uint8_t field, int64_t value);
void thrift_bytes(struct thrift *t, uint8_t field, const void *bytes, size_t len);
void thrift_text(struct thrift *t, uint8_t field, const char *text);
/* The elements follow. */
void thrift_list(struct thrift *t, uint8_t field, enum thrift_type type, uint32_t nr);
/* Begins a struct, which thrift_end() ends. The outermost one has begun. */
void thrift_struct(struct thrift *t, uint8_t field);
void thrift_end(struct thrift *t);

#endif
