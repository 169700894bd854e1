// SPDX-License-Identifier: Apache-2.0
#include "reader/parquet/thrift_compact.h"

#include <assert.h>
#include <string.h>

#define SHORT_DELTA 15 /* most that the byte of a field can say */
#define SHORT_LIST  14 /* most elements that the byte of a list can say */

static void put_byte(struct ts_bytes *out, uint8_t byte)
{
	ts_bytes_put(out, &byte, 1);
}

void thrift_zigzag(struct ts_bytes *out, int64_t value)
{
	ts_bytes_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* An element of a list has no header: the list has its type. */
static void begin_field(struct thrift *t, uint8_t field, enum thrift_type type)
{
	uint8_t *last = &t->last[t->depth];

	if (!field)
		return;
	assert(field > *last && field - *last <= SHORT_DELTA);
	put_byte(t->out, (uint8_t)((field - *last) << 4 | type));
	*last = field;
}

void thrift_bool(struct thrift *t, uint8_t field, bool value)
{
	begin_field(t, field, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i32(struct thrift *t, uint8_t field, int32_t value)
{
	begin_field(t, field, THRIFT_I32);
	thrift_zigzag(t->out, value);
}

void thrift_i64(struct thrift *t, uint8_t field, int64_t value)
{
	begin_field(t, field, THRIFT_I64);
	thrift_zigzag(t->out, value);
}

void thrift_bytes(struct thrift *t, uint8_t field, const void *bytes, size_t len)
{
	begin_field(t, field, THRIFT_BYTES);
	ts_bytes_varint(t->out, len);
	ts_bytes_put(t->out, bytes, len);
}

void thrift_text(struct thrift *t, uint8_t field, const char *text)
{
	thrift_bytes(t, field, text, strlen(text));
}

void thrift_list(struct thrift *t, uint8_t field, enum thrift_type type, uint32_t nr)
{
	begin_field(t, field, THRIFT_LIST);
	put_byte(t->out, (uint8_t)((nr <= SHORT_LIST ? nr : SHORT_LIST + 1) << 4 | type));
	if (nr > SHORT_LIST)
		ts_bytes_varint(t->out, nr);
}

void thrift_struct(struct thrift *t, uint8_t field)
{
	begin_field(t, field, THRIFT_STRUCT);
	assert(t->depth + 1 < THRIFT_DEPTH);
	t->last[++t->depth] = 0;
}

void thrift_end(struct thrift *t)
{
	put_byte(t->out, 0);
	if (t->depth)
		t->depth--;
}
