/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of texts that are needed again: the frames of a call chain, the fields of a tracepoint. A
 * text is found by the bytes from which it was made.
 *
 *	key: head (24 bytes of the caller's) + body (addresses, payload)  ->  text
 *
 * Keys are compared byte by byte, not only by hash, so a text is never that of another key. When
 * the cache is full, everything is forgotten. So a capture in which no text is repeated costs a
 * copy, and no more memory.
 *
 * Threads: a cache belongs to one thread.
 */
#ifndef TS_READER_SCRIPT_TEXT_CACHE_H
#define TS_READER_SCRIPT_TEXT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/runtime/memory.h"

/*
 * The head of a key: numbers of the caller that decide the meaning of the body. All are compared as
 * bytes, so the struct must have no padding.
 */
struct text_key {
	uint64_t a, b;
	uint32_t c, d;
};

struct text_cache_slot { /* private */
	uint64_t hash;
	uint32_t at; /* offset + 1 in the arena of key, body, text; 0: free */
	uint32_t body_len, text_len;
};

struct text_cache {
	struct text_cache_slot *slots; /* NULL: no memory for a cache */
	uint8_t *arena;
	uint32_t nr, used;
	uint64_t hash; /* of the last text_cache_put() */
};

/* If the memory limit leaves no room, nothing is remembered. */
void text_cache_init(struct text_cache *c, struct memory *memory);

/*
 * Appends the remembered text of this key to *out. False: the text is not remembered; the caller
 * makes it and calls text_cache_add().
 */
bool text_cache_put(struct text_cache *c, const struct text_key *key, const void *body,
		    size_t body_len, struct ts_bytes *out);
/* Remembers a text. The key must be that of the last text_cache_put(). */
void text_cache_add(struct text_cache *c, const struct text_key *key, const void *body,
		    size_t body_len, const void *text, size_t text_len);
void text_cache_release(struct text_cache *c); /* accepts a zeroed one; idempotent */

#endif
