// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/hash_index.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "common/base/keyed_hash.h"

#define FIRST_BITS 4
#define MAX_BITS   31

/* The hashes may be numbers of a capture. */
static uint32_t slot_of(const struct hash_index *ix, uint32_t hash)
{
	return (uint32_t)ts_keyed_hash(ix->key, hash) & ((1U << ix->bits) - 1);
}

static uint32_t slot_after(const struct hash_index *ix, uint32_t slot)
{
	return (slot + 1) & ((1U << ix->bits) - 1);
}

static void place_entry(struct hash_index *ix, struct hash_slot entry)
{
	uint32_t slot = slot_of(ix, entry.hash);

	while (ix->slots[slot].position)
		slot = slot_after(ix, slot);
	ix->slots[slot] = entry;
}

static int grow_slots(struct hash_index *ix)
{
	struct hash_index larger = {.bits = ix->slots ? ix->bits + 1 : FIRST_BITS,
				    .nr = ix->nr,
				    .key = ix->key ? ix->key : ts_keyed_hash_key()};

	if (larger.bits > MAX_BITS)
		return -ENOMEM;
	larger.slots = calloc(1UL << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; ix->slots && i < 1U << ix->bits; i++) {
		if (ix->slots[i].position)
			place_entry(&larger, ix->slots[i]);
	}
	free(ix->slots);
	*ix = larger;
	return 0;
}

void hash_index_release(struct hash_index *ix)
{
	free(ix->slots);
	*ix = (struct hash_index){0};
}

uint32_t hash_index_hash(struct hash_index *ix, const void *data, size_t bytes)
{
	if (!ix->key)
		ix->key = ts_keyed_hash_key();
	return (uint32_t)XXH3_64bits_withSeed(data, bytes, ix->key);
}

int hash_index_add(struct hash_index *ix, uint32_t hash, uint32_t position)
{
	if (!ix->slots || ix->nr >= (1U << ix->bits) / 4 * 3) {
		if (grow_slots(ix))
			return -ENOMEM;
	}
	place_entry(ix, (struct hash_slot){.hash = hash, .position = position + 1});
	ix->nr++;
	return 0;
}

struct hash_walk hash_walk(const struct hash_index *ix, uint32_t hash)
{
	return (struct hash_walk){.hash = hash, .slot = ix->slots ? slot_of(ix, hash) : 0};
}

bool hash_walk_next(const struct hash_index *ix, struct hash_walk *walk, uint32_t *ret)
{
	while (ix->slots && ix->slots[walk->slot].position) {
		struct hash_slot entry = ix->slots[walk->slot];

		walk->slot = slot_after(ix, walk->slot);
		if (entry.hash == walk->hash) {
			*ret = entry.position - 1;
			return true;
		}
	}
	return false;
}
