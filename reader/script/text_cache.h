/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that were made once and are wanted again: the frames of a call chain, the fields of a
 * tracepoint. A key of bytes leads to the text that it makes.
 *
 *	key: head (24 bytes of the caller's) + body (addresses, payload)  ->  text
 *
 * What is found is equal to the byte: keys are compared, not only their hashes. Beyond a bound of
 * memory everything is forgotten and begun anew, so that a capture in which nothing comes twice
 * costs a copy and no memory.
 *
 * Threads: a cache belongs to one thread.
 */
#ifndef TS_READER_SCRIPT_TEXT_CACHE_H
#define TS_READER_SCRIPT_TEXT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "reader/runtime/spill.h"

/* What a body means: the caller's numbers, all of them compared. No padding. */
struct text_key {
	uint64_t a, b;
	uint32_t c, d;
};

struct text_cache_slot { /* private */
	uint64_t hash;
	uint32_t at; /* in the arena: key, body, text; + 1, 0: free */
	uint32_t body_len, text_len;
};

struct text_cache {
	struct text_cache_slot *slots; /* NULL: there is no room for a cache */
	uint8_t *arena;
	uint32_t nr, used;
	uint64_t hash; /* of the key that was asked for last */
};

/* Where the limit of memory leaves no room, nothing is remembered. */
void text_cache_init(struct text_cache *c, struct spill *spill);

/* Appends the text of this key to *out: true. False: the caller makes it and calls text_cache_add(). */
bool text_cache_put(struct text_cache *c, const struct text_key *key, const void *body,
		    size_t body_len, struct ts_bytes *out);
/* Remembers the text of the key that text_cache_put() was asked for last. */
void text_cache_add(struct text_cache *c, const struct text_key *key, const void *body,
		    size_t body_len, const void *text, size_t text_len);
void text_cache_release(struct text_cache *c); /* accepts a zeroed one; idempotent */

#endif
