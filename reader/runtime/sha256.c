// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/sha256.h"

#include <endian.h>
#include <string.h>

#include "common/base/min_max.h"

#define ROUNDS 64

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

void sha256_init(struct sha256 *s)
{
	/* The same of the square roots of the first 8 primes. */
	static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	*s = (struct sha256){0};
	memcpy(s->state, first, sizeof(first));
}

static uint32_t turned(uint32_t value, unsigned int bits)
{
	return value >> bits | value << (32 - bits);
}

/* The words of a block, and those that follow from them. */
static void spread(const uint8_t block[SHA256_BLOCK], uint32_t words[ROUNDS])
{
	memcpy(words, block, SHA256_BLOCK);
	for (int i = 0; i < 16; i++)
		words[i] = be32toh(words[i]);
	for (int i = 16; i < ROUNDS; i++) {
		const uint32_t x = words[i - 15], y = words[i - 2];

		words[i] = words[i - 16] + (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + words[i - 7] +
			   (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
	}
}

/* A round. Instead of moving a to b, b to c and so on, it counts from another place: a is at -round. */
static inline void mix(uint32_t w[8], unsigned int round, uint32_t more)
{
	const uint32_t a = w[(0 - round) & 7], b = w[(1 - round) & 7], c = w[(2 - round) & 7];
	const uint32_t e = w[(4 - round) & 7], f = w[(5 - round) & 7], g = w[(6 - round) & 7];
	uint32_t *d = &w[(3 - round) & 7], *h = &w[(7 - round) & 7];

	*h += (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + more;
	*d += *h;
	*h += (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void take_block(struct sha256 *s, const uint8_t block[SHA256_BLOCK])
{
	uint32_t words[ROUNDS], working[8];

	spread(block, words);
	memcpy(working, s->state, sizeof(working));
	for (unsigned int i = 0; i < ROUNDS; i += 8) /* the places are known to the compiler */
		for (unsigned int k = 0; k < 8; k++)
			mix(working, k, constants[i + k] + words[i + k]);
	for (int i = 0; i < 8; i++)
		s->state[i] += working[i];
}

void sha256_put(struct sha256 *s, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		const size_t at = s->nr_bytes % SHA256_BLOCK;
		const size_t nr = ts_min(len, SHA256_BLOCK - at);

		memcpy(s->block + at, from, nr);
		s->nr_bytes += nr;
		from += nr;
		len -= nr;
		if (at + nr == SHA256_BLOCK)
			take_block(s, s->block);
	}
}

void sha256_end(struct sha256 *s, uint8_t ret[SHA256_BYTES])
{
	const uint64_t bits = htobe64(8 * s->nr_bytes);
	const size_t at = s->nr_bytes % SHA256_BLOCK;
	const uint8_t filling[SHA256_BLOCK] = {0x80};

	/* a bit, zeros, and the length at the end of a block */
	sha256_put(s, filling, (at < 56 ? 56 : 56 + SHA256_BLOCK) - at);
	sha256_put(s, &bits, sizeof(bits));
	for (int i = 0; i < 8; i++) {
		const uint32_t word = htobe32(s->state[i]);

		memcpy(ret + 4 * i, &word, sizeof(word));
	}
}
