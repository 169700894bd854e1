// SPDX-License-Identifier: Apache-2.0
#include "common/stream/checksum.h"

#include <criterion/criterion.h>
#include <string.h>
#include <xxhash.h>

#define BYTES_MAX 5000

static uint8_t bytes[BYTES_MAX + 8];

static void fill(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i >> 3 ^ i);
}

/* This file is compiled without AVX2, so its xxhash.h is the plain one. */
Test(checksum, is_the_plain_xxh3_at_every_length)
{
	fill();
	for (size_t len = 0; len <= BYTES_MAX; len++)
		cr_assert_eq(ts_checksum(bytes, len), XXH3_64bits(bytes, len), "length %zu", len);
}

Test(checksum, does_not_depend_on_alignment)
{
	uint64_t sum;

	fill();
	sum = ts_checksum(bytes, BYTES_MAX);
	for (size_t at = 1; at < 8; at++) {
		memmove(bytes + at, bytes + at - 1, BYTES_MAX);
		cr_assert_eq(ts_checksum(bytes + at, BYTES_MAX), sum, "%zu", at);
	}
}

Test(checksum, is_what_the_specification_says)
{
	cr_assert_eq(ts_checksum("", 0), 0x2d06800538d394c2);
}
