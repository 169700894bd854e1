// SPDX-License-Identifier: Apache-2.0
#include "reader/page/markup.h"

#include <stdint.h>
#include <string.h>

#include "reader/runtime/text.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

static size_t bytes_announced(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* Neither too long, nor half a pair of surrogates, nor beyond U+10FFFF, nor U+FFFE or U+FFFF. */
static int is_allowed(const uint8_t *at, size_t len)
{
	if (len == 3)
		return !(at[0] == 0xe0 && at[1] < 0xa0) && !(at[0] == 0xed && at[1] >= 0xa0) &&
		       !(at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
	if (len == 4)
		return !(at[0] == 0xf0 && at[1] < 0x90) && !(at[0] == 0xf4 && at[1] >= 0x90);
	return 1;
}

/* Bytes of the character at `at`; 0: none, a byte that stands for nothing. */
static size_t character(const uint8_t *at, size_t left)
{
	const size_t len = bytes_announced(*at);

	if (!len || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if (len == 1)
		return *at >= ' ' && *at != 0x7f;
	return is_allowed(at, len) && !(len == 2 && at[0] == 0xc2 && at[1] < 0xa0) ? len : 0;
}

static const char *escape_of(char c)
{
	return c == '<'	   ? "&lt;"
	       : c == '>'  ? "&gt;"
	       : c == '&'  ? "&amp;"
	       : c == '"'  ? "&quot;"
	       : c == '\'' ? "&#39;"
			   : NULL;
}

/* Appends the character at `at` and returns its bytes. */
static size_t put_character(struct ts_bytes *out, const char *at, size_t left)
{
	const size_t len = character((const uint8_t *)at, left);
	const char *escape = escape_of(*at);

	if (!len)
		text_put(out, REPLACED);
	else if (escape)
		text_put(out, escape);
	else
		ts_bytes_put(out, at, len);
	return len ? len : 1;
}

void markup_put(struct ts_bytes *out, const char *text, size_t len)
{
	for (size_t at = 0; at < len;)
		at += put_character(out, text + at, len - at);
}

void markup_put_lines(struct ts_bytes *out, const char *lines)
{
	for (const char *end; *lines; lines = *end ? end + 1 : end) {
		end = strchrnul(lines, '\n');
		markup_put(out, lines, (size_t)(end - lines));
		text_char(out, '\n');
	}
}

void markup_put_plain(struct ts_bytes *out, const char *text, size_t len, size_t most)
{
	const size_t replaced = sizeof(REPLACED) - 1;

	for (size_t at = 0, nr = 0; at < len;) {
		const size_t known = character((const uint8_t *)text + at, len - at);
		const size_t bytes = known ? known : replaced;

		if (nr + bytes > most)
			return;
		ts_bytes_put(out, known ? text + at : REPLACED, bytes);
		at += known ? known : 1;
		nr += bytes;
	}
}

size_t markup_length(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t at = 0, step; at < len; at += step, nr++) {
		step = character((const uint8_t *)text + at, len - at);
		step = step ? step : 1;
	}
	return nr;
}

void markup_put_cut(struct ts_bytes *out, const char *text, size_t len, size_t most)
{
	if (len <= most || markup_length(text, len) <= most) {
		markup_put(out, text, len);
		return;
	}
	for (size_t at = 0, nr = 0; at < len && nr + 2 < most; nr++)
		at += put_character(out, text + at, len - at);
	text_put(out, "..");
}
