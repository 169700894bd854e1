// SPDX-License-Identifier: Apache-2.0
#include "common/base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ts_bytes_init(struct ts_bytes *b)
{
	*b = (struct ts_bytes){0};
}

void ts_bytes_release(struct ts_bytes *b)
{
	if (b->resize)
		b->resize(b->source, b->data, 0);
	else
		free(b->data);
	*b = (struct ts_bytes){.resize = b->resize, .source = b->source};
}

void ts_bytes_clear(struct ts_bytes *b)
{
	b->len = 0;
}

void *ts_bytes_grow(struct ts_bytes *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 256;
	uint8_t *data;

	if (b->failed || more > SIZE_MAX / 4 - b->len) {
		b->failed = true;
		return NULL;
	}
	if (b->len + more <= b->cap)
		return b->data + b->len;
	while (cap < b->len + more)
		cap *= 2;
	data = b->resize ? b->resize(b->source, b->data, cap) : realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return NULL;
	}
	b->data = data;
	b->cap = cap;
	return b->data + b->len;
}

void ts_bytes_put(struct ts_bytes *b, const void *data, size_t len)
{
	void *to = ts_bytes_reserve(b, len);

	if (!to || !len)
		return;
	memcpy(to, data, len);
	b->len += len;
}

void ts_bytes_zero(struct ts_bytes *b, size_t len)
{
	void *to = ts_bytes_reserve(b, len);

	if (!to || !len)
		return;
	memset(to, 0, len);
	b->len += len;
}

void ts_bytes_u16(struct ts_bytes *b, uint16_t v)
{
	ts_bytes_put(b, &v, sizeof(v));
}

void ts_bytes_u32(struct ts_bytes *b, uint32_t v)
{
	ts_bytes_put(b, &v, sizeof(v));
}

void ts_bytes_u64(struct ts_bytes *b, uint64_t v)
{
	ts_bytes_put(b, &v, sizeof(v));
}

void ts_bytes_varint(struct ts_bytes *b, uint64_t v)
{
	uint8_t bytes[(64 + 6) / 7];
	size_t nr = 0;

	for (; v > 127; v >>= 7)
		bytes[nr++] = (uint8_t)(v | 128);
	bytes[nr++] = (uint8_t)v;
	ts_bytes_put(b, bytes, nr);
}

void ts_bytes_printf(struct ts_bytes *b, const char *fmt, ...)
{
	va_list args;
	char *to;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	to = len < 0 ? NULL : ts_bytes_reserve(b, (size_t)len + 1);
	if (!to)
		return;
	va_start(args, fmt);
	vsnprintf(to, (size_t)len + 1, fmt, args);
	va_end(args);
	b->len += (size_t)len;
}

void ts_bytes_align(struct ts_bytes *b, size_t align)
{
	size_t rest = b->len % align;

	if (rest)
		ts_bytes_zero(b, align - rest);
}
