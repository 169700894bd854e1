// SPDX-License-Identifier: Apache-2.0
#include "common/base/escape_text.h"

#include <string.h>

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * U+0080 to U+009F are control characters, as those of ASCII are. The others are invisible; they
 * reverse or isolate the text beside them, even beyond the end of the name.
 */
bool ts_escape_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

size_t ts_escape_utf8_bytes(const char *text, size_t len, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	size_t nr = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t code = nr > 1 ? s[0] & (0xffu >> (nr + 1)) : s[0];

	if ((s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || nr > len)
		return 0;
	for (size_t i = 1; i < nr; i++) {
		if (!is_continuation(s[i]))
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[nr] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret_code = code;
	return nr;
}

static bool is_kept(unsigned char c, const char *but)
{
	return c && c < 0x80 && strchr(but, c);
}

#define EACH_BYTE(value) (0x0101010101010101ull * (value))

/*
 * How many bytes from ' ' to '~' the text begins with, looked at eight in one step: most names have
 * no others, and a report prints millions of them.
 */
static size_t plain_bytes(const char *text, size_t len)
{
	size_t nr = 0;
	uint64_t v;

	for (; len - nr >= sizeof(v); nr += sizeof(v)) {
		memcpy(&v, text + nr, sizeof(v));
		if ((v | (v - EACH_BYTE(0x20)) | (v + EACH_BYTE(0x01))) & EACH_BYTE(0x80))
			break;
	}
	while (nr < len && text[nr] >= ' ' && text[nr] <= '~')
		nr++;
	return nr;
}

void ts_escape_text(char *text, size_t len, const char *but)
{
	unsigned char *s = (unsigned char *)text;
	size_t i = 0;

	while ((i += plain_bytes(text + i, len - i)) < len) {
		uint32_t code;
		size_t bytes = ts_escape_utf8_bytes(text + i, len - i, &code);

		if (!bytes || (ts_escape_is_control(code) && !is_kept(s[i], but))) {
			s[i] = '?';
			bytes = 1; /* the other bytes of this character are no character */
		}
		i += bytes;
	}
}
