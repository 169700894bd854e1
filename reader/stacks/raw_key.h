/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key that tells raw samples apart before anything is resolved, and its 128-bit hash.
 *
 * The hash is computed once per sample, so no field goes through memory: fields are whole words.
 * Compilers write smaller fields as parts and read them as whole words. Such a load waits until all
 * earlier stores are in the cache, which was measured as a third of the loop. Only the callchain is
 * hashed in place.
 *
 * Threads: pure functions.
 */
#ifndef TS_READER_STACKS_RAW_KEY_H
#define TS_READER_STACKS_RAW_KEY_H

#include <stdint.h>
#include <xxhash.h>

#include "common/perf/record.h"

struct raw_key {
	uint64_t space, kernel_space, ip;
	uint64_t comm; /* address of the name */
	uint64_t event, tid, tag, cpumode;
};

/* Both halves of a product: every bit of either factor reaches every bit of the result. */
static inline uint64_t raw_key_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* chain NULL: without a callchain. */
static inline XXH128_hash_t raw_key_hash(const struct raw_key *k, const struct ts_words *chain)
{
	XXH128_hash_t hash = {0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full};
	/* odd constants without a pattern, as in wyhash */
	uint64_t place =
		raw_key_fold(k->space ^ 0xa0761d6478bd642full, k->ip ^ 0xe7037ed1a0b428dbull);
	uint64_t name = raw_key_fold(k->comm ^ 0x8ebc6af09c88c6e3ull,
				     k->kernel_space ^ 0x589965cc75374cc3ull);
	uint64_t rest = raw_key_fold((k->event << 32 ^ k->tid) ^ 0x1d8e4e27c47d124full,
				     (k->tag << 32 ^ k->cpumode) ^ 0xeb44accab455d165ull);

	if (chain)
		hash = XXH3_128bits(chain->data, 8 * chain->nr);
	/*
	 * The second half contains the fields themselves: keys that collide in the first half do
	 * not collide in the second.
	 */
	hash.low64 = raw_key_fold(hash.low64 ^ place, rest ^ name ^ 0xa0761d6478bd642full);
	hash.high64 = raw_key_fold(hash.high64 ^ k->ip ^ rest,
				   k->space ^ k->comm << 16 ^ name ^ 0xe7037ed1a0b428dbull);
	return hash;
}

#endif
