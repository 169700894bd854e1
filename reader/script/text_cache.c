// SPDX-License-Identifier: Apache-2.0
#include "reader/script/text_cache.h"

#include <string.h>
#include <xxhash.h>

#define NR_SLOTS  16384u /* power of two */
#define MAX_TEXTS (NR_SLOTS / 2)
/* About twice a second-level cache of today. Texts that are not repeated soon need not stay. */
#define MAX_BYTES (4u << 20)

void text_cache_init(struct text_cache *c, struct memory *memory)
{
	*c = (struct text_cache){
		.slots = memory_new_cache(memory, 1, NR_SLOTS * sizeof(*c->slots) + MAX_BYTES)};
	if (c->slots)
		c->arena = (uint8_t *)(c->slots + NR_SLOTS);
}

static uint64_t hash_of(const struct text_key *key, const void *body, size_t len)
{
	return XXH3_64bits_withSeed(body, len,
				    key->a * 0x9e3779b97f4a7c15u ^ key->b * 0xc2b2ae3d27d4eb4fu ^
					    key->c ^ (uint64_t)key->d << 32);
}

/* The slot of this key, or the free slot for it. */
static struct text_cache_slot *find_text(const struct text_cache *c, const struct text_key *key,
					 const void *body, size_t len)
{
	for (size_t i = c->hash & (NR_SLOTS - 1);; i = (i + 1) & (NR_SLOTS - 1)) {
		struct text_cache_slot *slot = &c->slots[i];
		const uint8_t *at = c->arena + slot->at - 1;

		if (!slot->at)
			return slot;
		if (slot->hash == c->hash && slot->body_len == len &&
		    !memcmp(at, key, sizeof(*key)) && !memcmp(at + sizeof(*key), body, len))
			return slot;
	}
}

bool text_cache_put(struct text_cache *c, const struct text_key *key, const void *body,
		    size_t body_len, struct ts_bytes *out)
{
	const struct text_cache_slot *slot;

	c->hash = hash_of(key, body, body_len);
	if (!c->slots)
		return false;
	slot = find_text(c, key, body, body_len);
	if (!slot->at)
		return false;
	ts_bytes_put(out, c->arena + slot->at - 1 + sizeof(*key) + body_len, slot->text_len);
	return true;
}

static void forget_texts(struct text_cache *c)
{
	memset(c->slots, 0, NR_SLOTS * sizeof(*c->slots));
	c->nr = c->used = 0;
}

static void append_text(struct text_cache *c, const void *data, size_t len)
{
	if (len)
		memcpy(c->arena + c->used, data, len);
	c->used += (uint32_t)len;
}

void text_cache_add(struct text_cache *c, const struct text_key *key, const void *body,
		    size_t body_len, const void *text, size_t text_len)
{
	size_t bytes = sizeof(*key) + body_len + text_len;

	if (!c->slots || bytes > MAX_BYTES)
		return;
	if (c->nr == MAX_TEXTS || c->used + bytes > MAX_BYTES)
		forget_texts(c);
	*find_text(c, key, body, body_len) =
		(struct text_cache_slot){.hash = c->hash,
					 .at = c->used + 1,
					 .body_len = (uint32_t)body_len,
					 .text_len = (uint32_t)text_len};
	append_text(c, key, sizeof(*key));
	append_text(c, body, body_len);
	append_text(c, text, text_len);
	c->nr++;
}

void text_cache_release(struct text_cache *c)
{
	memory_free(c->slots);
	*c = (struct text_cache){0};
}
