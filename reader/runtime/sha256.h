/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256, for names of what is stored: whoever chooses the content cannot choose the name.
 *
 *	struct sha256 s;
 *	sha256_init(&s);
 *	sha256_put(&s, bytes, len);  ...
 *	sha256_end(&s, digest);
 *
 * Source: FIPS 180-4.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_RUNTIME_SHA256_H
#define TS_READER_RUNTIME_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

struct sha256 {
	uint32_t state[8];
	uint64_t nr_bytes; /* that were put */
	uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *s);
void sha256_put(struct sha256 *s, const void *bytes, size_t len);
/* The digest. Afterwards *s is to be initialised again. */
void sha256_end(struct sha256 *s, uint8_t ret[SHA256_BYTES]);

#endif
