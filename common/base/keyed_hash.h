/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing of numbers that come from a capture. The author of a capture must not be able to choose
 * numbers that fall into one slot of a table, since a lookup would then pass over all of them. So
 * each table has a key that nobody knows. Texts and other bytes are hashed by XXH3, with the key as
 * its seed.
 *
 * Threads: pure functions.
 */
#ifndef TS_COMMON_BASE_KEYED_HASH_H
#define TS_COMMON_BASE_KEYED_HASH_H

#include <stdint.h>
#include <sys/random.h>

/* A key for a new table, not 0. Nothing that is printed may depend on it. */
static inline uint64_t ts_keyed_hash_key(void)
{
	uint64_t key;

	/* Without it hashing still works: then slots can be foreseen. */
	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		key = (uintptr_t)&key;
	return key | 1;
}

/* Every bit of the value and of the key reaches every bit of the result. */
static inline uint64_t ts_keyed_hash(uint64_t key, uint64_t value)
{
	unsigned __int128 product = (unsigned __int128)(value ^ key) * 0x9e3779b97f4a7c15u;
	uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64) ^ key;

	product = (unsigned __int128)folded * 0xe7037ed1a0b428dbu;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A part of a hash: of two values at once, neither of which leaves the other without effect. */
static inline uint64_t ts_keyed_hash_pair(uint64_t key, uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ key) * (b ^ (key << 32 | key >> 32));

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
