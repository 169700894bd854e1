/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing buffer of bytes, for headers, synthesized records and text.
 *
 * Lack of memory is sticky: later appends do nothing, and the owner asks ts_bytes_failed() once at
 * the end. Values are appended as they lie in memory, in this machine's byte order.
 *
 * Threads: none of its own; one owner at a time.
 */
#ifndef TS_COMMON_BASE_BYTES_H
#define TS_COMMON_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_bytes {
	uint8_t *data;
	size_t len;
	size_t cap;
	bool failed; /* an allocation failed; data and len are as before it */
	/*
	 * NULL: the heap. Otherwise like realloc(), and 0 bytes free. Set once, while there is no
	 * data.
	 */
	void *(*resize)(void *source, void *data, size_t bytes);
	void *source;
};

void ts_bytes_init(struct ts_bytes *b);
/* Frees the data, keeps `resize`. Accepts a zeroed struct; idempotent. */
void ts_bytes_release(struct ts_bytes *b);
void ts_bytes_clear(struct ts_bytes *b); /* len = 0, keeps the memory and `failed` */

/* The slow path of ts_bytes_reserve(). */
void *ts_bytes_grow(struct ts_bytes *b, size_t more);

/* Makes room for `more` bytes beyond len; returns where they start, or NULL (then failed). */
static inline void *ts_bytes_reserve(struct ts_bytes *b, size_t more)
{
	if (more <= b->cap - b->len && !b->failed && b->data)
		return b->data + b->len;
	return ts_bytes_grow(b, more);
}

/* Append. */
void ts_bytes_put(struct ts_bytes *b, const void *data, size_t len);
void ts_bytes_zero(struct ts_bytes *b, size_t len);
void ts_bytes_u16(struct ts_bytes *b, uint16_t v);
void ts_bytes_u32(struct ts_bytes *b, uint32_t v);
void ts_bytes_u64(struct ts_bytes *b, uint64_t v);
void ts_bytes_varint(struct ts_bytes *b, uint64_t v); /* LEB128: 7 bits a byte, the lowest first */
void ts_bytes_printf(struct ts_bytes *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));	       /* without the final NUL */
void ts_bytes_align(struct ts_bytes *b, size_t align); /* zeros up to a multiple of align */

static inline bool ts_bytes_failed(const struct ts_bytes *b)
{
	return b->failed;
}

#endif
