// SPDX-License-Identifier: Apache-2.0
#include "common/defuse.h"

#include <string.h>

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * U+0080 to U+009F are control characters as those of ASCII are; the others are invisible and turn
 * around or isolate what stands next to them, beyond the end of the name.
 */
bool ts_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Bytes of the well-formed UTF-8 character at s, of more than one byte; 0: it is none. */
static size_t character_bytes(const unsigned char *s, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t code;

	if (s[0] < 0xc2 || s[0] > 0xf4 || len > left)
		return 0;
	code = s[0] & (0xff >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if (!is_continuation(s[i]))
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return ts_is_control(code) ? 0 : len;
}

void ts_defuse(char *text, size_t len, const char *but)
{
	unsigned char *s = (unsigned char *)text;
	size_t i = 0;

	while (i < len) {
		size_t bytes = 1;

		if (s[i] >= 0x80) {
			bytes = character_bytes(s + i, len - i);
			if (!bytes)
				s[i] = '?';
		} else if ((s[i] < 0x20 || s[i] == 0x7f) && (!s[i] || !strchr(but, s[i]))) {
			s[i] = '?';
		}
		i += bytes ? bytes : 1;
	}
}
