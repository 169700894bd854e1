// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/sha256.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *hex_of(const uint8_t digest[SHA256_BYTES])
{
	static char hex[2 * SHA256_BYTES + 1];

	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return hex;
}

/* Put in parts of so many bytes. */
static const char *digest_of(const void *bytes, size_t len, size_t part)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	for (size_t at = 0; at < len; at += part)
		sha256_put(&s, (const char *)bytes + at, part < len - at ? part : len - at);
	sha256_end(&s, digest);
	return hex_of(digest);
}

/* The examples of FIPS 180-4's "Secure Hash Standard Test Vectors". */
Test(sha256, is_that_of_the_standard)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	static char million[1000000];

	cr_expect_str_eq(digest_of("", 0, 1),
			 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	cr_expect_str_eq(digest_of("abc", 3, 3),
			 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	cr_expect_str_eq(digest_of(two_blocks, strlen(two_blocks), 100),
			 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', sizeof(million));
	cr_expect_str_eq(digest_of(million, sizeof(million), 999),
			 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(sha256, does_not_depend_on_the_parts)
{
	char whole[2 * sizeof(((struct sha256 *)0)->block) + 3], hex[2 * SHA256_BYTES + 1];

	for (size_t len = 0; len <= sizeof(whole); len++) {
		memset(whole, 'x', len);
		strcpy(hex, digest_of(whole, len, sizeof(whole)));
		for (size_t part = 1; part < 70; part += 7)
			cr_expect_str_eq(digest_of(whole, len, part), hex, "%zu bytes by %zu", len,
					 part);
	}
}
