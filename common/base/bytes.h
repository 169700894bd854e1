/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing run of bytes, for building headers, synthesized records and text.
 *
 * Running out of memory is sticky: further appends do nothing, and the owner asks ts_bytes_failed()
 * once at the end. Little endian is not assumed: values are appended as they lie in memory.
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
	/* NULL: the heap. Else as realloc(), where 0 bytes free; set once, while there is no data */
	void *(*resize)(void *source, void *data, size_t bytes);
	void *source;
};

void ts_bytes_init(struct ts_bytes *b);
void ts_bytes_release(
	struct ts_bytes *b); /* frees; accepts a zeroed one; idempotent; `resize` stays */
void ts_bytes_clear(struct ts_bytes *b); /* len = 0, keeps the memory and `failed` */

void *ts_bytes_grow(struct ts_bytes *b,
		    size_t more); /* ts_bytes_reserve() where there is no room */

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
void ts_bytes_printf(struct ts_bytes *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));	       /* without the final NUL */
void ts_bytes_align(struct ts_bytes *b, size_t align); /* zeros up to a multiple of align */

static inline bool ts_bytes_failed(const struct ts_bytes *b)
{
	return b->failed;
}

#endif
