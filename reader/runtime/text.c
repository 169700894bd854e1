// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/text.h"

#include <string.h>

#include "common/base/escape_text.h"

#define LONGEST_NUMBER 24

static char *room_for(struct ts_bytes *out, size_t len)
{
	char *to = ts_bytes_reserve(out, len);

	if (to)
		out->len += len;
	return to;
}

void text_put(struct ts_bytes *out, const char *s)
{
	ts_bytes_put(out, s, strlen(s));
}

void text_char(struct ts_bytes *out, char c)
{
	char *to = room_for(out, 1);

	if (to)
		*to = c;
}

void text_name_n(struct ts_bytes *out, const char *name, size_t len)
{
	char *to = room_for(out, len);

	if (!to)
		return;
	memcpy(to, name, len);
	ts_escape_text(to, len, "");
}

static void fill(struct ts_bytes *out, char c, size_t len)
{
	char *to = room_for(out, len);

	if (to)
		memset(to, c, len);
}

void text_name(struct ts_bytes *out, const char *name, unsigned int width)
{
	size_t len = strlen(name);

	if (len < width)
		fill(out, ' ', width - len);
	text_name_n(out, name, len);
}

/* Digits of v, at the end of the buffer; returns where they start. */
static char *decimal(char buf[LONGEST_NUMBER], uint64_t v)
{
	char *at = buf + LONGEST_NUMBER;

	do {
		*--at = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return at;
}

static char *hexadecimal(char buf[LONGEST_NUMBER], uint64_t v)
{
	char *at = buf + LONGEST_NUMBER;

	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return at;
}

static void put_aligned(struct ts_bytes *out, const char *buf, const char *at, unsigned int width,
			char pad)
{
	size_t len = (size_t)(buf + LONGEST_NUMBER - at);

	if (len < width)
		fill(out, pad, width - len);
	ts_bytes_put(out, at, len);
}

void text_dec(struct ts_bytes *out, uint64_t v, unsigned int width, char pad)
{
	char buf[LONGEST_NUMBER];

	put_aligned(out, buf, decimal(buf, v), width, pad);
}

void text_hex(struct ts_bytes *out, uint64_t v, unsigned int width)
{
	char buf[LONGEST_NUMBER];

	put_aligned(out, buf, hexadecimal(buf, v), width, ' ');
}
