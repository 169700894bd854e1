/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index from hashes to positions in an array of the caller's.
 *
 * The caller hashes its keys and compares them itself: it adds (hash, position) and walks the
 * positions that were added with a hash. If the hash is the key (32-bit numbers), the first
 * position is the only one.
 *
 * Threads: one thread adds. While no thread adds, any number may look up.
 */
#ifndef TS_READER_TASKS_HASH_INDEX_H
#define TS_READER_TASKS_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t hash;
	uint32_t position; /* + 1; 0: the slot is free */
};

struct hash_index {
	struct hash_slot *slots; /* open addressing, 1 << bits of them; NULL: none yet */
	uint32_t bits;
	uint32_t nr;  /* entries */
	uint64_t key; /* see common/base/keyed_hash.h; 0: none yet */
};

/* The state of a walk; hash_walk() begins it. */
struct hash_walk {
	uint32_t hash, slot;
};

void hash_index_release(struct hash_index *ix); /* frees; accepts a zeroed one; idempotent */
/* The hash of a text or other bytes in this index. */
uint32_t hash_index_hash(struct hash_index *ix, const void *data, size_t bytes);
/* Adds a position (< UINT32_MAX). 0 or -ENOMEM. */
int hash_index_add(struct hash_index *ix, uint32_t hash, uint32_t position);

/* A walk over all positions that were added with this hash. */
struct hash_walk hash_walk(const struct hash_index *ix, uint32_t hash);
/* The next position with this hash; false: no more. */
bool hash_walk_next(const struct hash_index *ix, struct hash_walk *walk, uint32_t *ret);

#endif
