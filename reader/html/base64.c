// SPDX-License-Identifier: Apache-2.0
#include "reader/html/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_three(uint8_t *to, uint32_t bits)
{
	to[0] = (uint8_t)letters[bits >> 18];
	to[1] = (uint8_t)letters[bits >> 12 & 63];
	to[2] = (uint8_t)letters[bits >> 6 & 63];
	to[3] = (uint8_t)letters[bits & 63];
}

/* The last one or two bytes: '=' stands for those that are missing. */
static void put_rest(uint8_t *to, const uint8_t *from, size_t len)
{
	put_three(to, (uint32_t)from[0] << 16 | (len > 1 ? (uint32_t)from[1] << 8 : 0));
	to[3] = '=';
	if (len == 1)
		to[2] = '=';
}

void base64_put(struct ts_bytes *out, const uint8_t *from, size_t len)
{
	const size_t nr = (size_t)base64_bytes(len);
	uint8_t *to = nr ? ts_bytes_reserve(out, nr) : NULL;

	if (!to)
		return;
	out->len += nr;
	for (; len >= 3; from += 3, to += 4, len -= 3)
		put_three(to, (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2]);
	if (len)
		put_rest(to, from, len);
}
