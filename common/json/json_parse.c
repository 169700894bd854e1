// SPDX-License-Identifier: Apache-2.0
/*
 * A recursive descent through the text, at most 32 levels deep. Each step is bounded by the text,
 * which need not end with NUL. Values go into the document as they are met.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/json/json.h"
#include "common/json/json_tree.h"

#define DEPTH_MAX 32

struct parser {
	const char *begin, *at, *end;
	struct json_document *document;
};

static bool parse_value(struct parser *p, struct ts_json *list, const char *key, int depth);

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && *p->at && strchr(" \t\r\n", *p->at))
		p->at++;
}

/* Takes the next character, behind blanks, if it is this one. */
static bool take(struct parser *p, char c)
{
	skip_blanks(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

/* --- texts --- */

/* -1: none. */
static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits; -1: they are none. */
static int take_code(struct parser *p)
{
	int code = 0;

	for (int i = 0; i < 4; i++) {
		int digit = p->at < p->end ? hex_digit(*p->at++) : -1;

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	return code;
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* Behind "\u": one code, or two that make a pair. A half pair and NUL become U+FFFD. */
static char *take_unicode(struct parser *p, char *to)
{
	int code = take_code(p), low;

	if (code < 0)
		return NULL;
	if (code >= 0xd800 && code < 0xdc00 && take_word(p, "\\u")) {
		low = take_code(p);
		if (low < 0)
			return NULL;
		code = low >= 0xdc00 && low < 0xe000
			       ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
			       : 0xfffd;
	}
	if (!code || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	return put_utf8(to, (uint32_t)code);
}

/* Behind a backslash. */
static char *take_escape(struct parser *p, char *to)
{
	static const char letters[] = "\"\\/bfnrt", chars[] = "\"\\/\b\f\n\r\t";
	const char *letter;

	if (p->at == p->end)
		return NULL;
	if (*p->at == 'u') {
		p->at++;
		return take_unicode(p, to);
	}
	letter = *p->at ? strchr(letters, *p->at) : NULL;
	if (!letter)
		return NULL;
	p->at++;
	*to++ = chars[letter - letters];
	return to;
}

/* The end of the text behind its first quote; NULL: it has none. */
static const char *end_of_text(const struct parser *p)
{
	for (const char *at = p->at; at < p->end; at++) {
		if (*at == '"')
			return at;
		if (*at == '\\')
			at++;
	}
	return NULL;
}

/* NULL: no text, or no memory. No escape is shorter than what it stands for. */
static const char *take_text(struct parser *p)
{
	const char *end;
	char *text, *to;

	if (!take(p, '"') || !(end = end_of_text(p)))
		return NULL;
	text = to = ts_json_document_take(p->document, (size_t)(end - p->at) + 1);
	while (to && p->at < end) {
		if (*p->at == '\\') {
			p->at++;
			to = take_escape(p, to);
		} else if ((unsigned char)*p->at < ' ') {
			to = NULL;
		} else {
			*to++ = *p->at++;
		}
	}
	if (!to)
		return NULL;
	p->at++; /* the last quote */
	*to = '\0';
	return text;
}

/* --- numbers --- */

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* The end of fraction and exponent; `at` if there are none, NULL if they make no sense. */
static const char *end_of_real(const char *at, const char *end)
{
	const char *digits;

	if (at < end && *at == '.') {
		digits = ++at;
		at = skip_digits(at, end);
		if (at == digits)
			return NULL;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < end && (*at == '+' || *at == '-');
		digits = at;
		at = skip_digits(at, end);
		if (at == digits)
			return NULL;
	}
	return at;
}

static void set_int(struct ts_json *value, const char *at, const char *end, bool is_negative)
{
	uint64_t number = 0;

	for (; at < end; at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			number = UINT64_MAX;
	value->is_negative = is_negative;
	value->number = is_negative ? -ts_min(number, (uint64_t)INT64_MAX + 1) : number;
}

/* A number that is too long for the copy is no number that anybody wrote. */
static bool set_real(struct ts_json *value, const char *begin, const char *end)
{
	char copy[64];
	size_t len = (size_t)(end - begin);

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, begin, len);
	copy[len] = '\0';
	value->kind = TS_JSON_REAL;
	value->real = strtod(copy, NULL);
	return value->real - value->real == 0; /* finite */
}

static bool parse_number(struct parser *p, struct ts_json *value)
{
	const char *begin = p->at, *digits = begin + (*begin == '-'), *end, *end_of_all;

	end = skip_digits(digits, p->end);
	if (end == digits || (*digits == '0' && end - digits > 1))
		return false;
	end_of_all = end_of_real(end, p->end);
	if (!end_of_all)
		return false;
	p->at = end_of_all;
	if (end_of_all != end)
		return set_real(value, begin, end_of_all);
	set_int(value, digits, end, *begin == '-');
	return true;
}

/* --- values --- */

static bool parse_members(struct parser *p, struct ts_json *object, int depth)
{
	const char *key;

	if (take(p, '}'))
		return true;
	do {
		key = take_text(p);
		if (!key || !take(p, ':') || !parse_value(p, object, key, depth))
			return false;
	} while (take(p, ','));
	return take(p, '}');
}

static bool parse_items(struct parser *p, struct ts_json *array, int depth)
{
	if (take(p, ']'))
		return true;
	do {
		if (!parse_value(p, array, NULL, depth))
			return false;
	} while (take(p, ','));
	return take(p, ']');
}

static bool parse_word(struct parser *p, struct ts_json *value)
{
	bool is_true = take_word(p, "true");

	if (!is_true && !take_word(p, "false"))
		return take_word(p, "null");
	value->kind = TS_JSON_BOOL;
	value->number = is_true;
	return true;
}

static bool parse_into(struct parser *p, struct ts_json *value, int depth)
{
	char c = *p->at;

	if (c == '{' || c == '[') {
		value->kind = c == '{' ? TS_JSON_OBJECT : TS_JSON_ARRAY;
		if (depth == DEPTH_MAX)
			return false;
		p->at++;
		return c == '{' ? parse_members(p, value, depth + 1)
				: parse_items(p, value, depth + 1);
	}
	if (c == '"') {
		value->kind = TS_JSON_TEXT;
		return (value->text = take_text(p)) != NULL;
	}
	if (c == '-' || (c >= '0' && c <= '9')) {
		value->kind = TS_JSON_INT;
		return parse_number(p, value);
	}
	return parse_word(p, value);
}

static bool parse_value(struct parser *p, struct ts_json *list, const char *key, int depth)
{
	struct ts_json *value;

	skip_blanks(p);
	if (p->at == p->end)
		return false;
	value = ts_json_append(list, key, TS_JSON_NULL);
	return value && parse_into(p, value, depth);
}

static bool parse_document(struct parser *p)
{
	if (!take(p, '{') || !parse_members(p, &p->document->root, 1))
		return false;
	skip_blanks(p);
	return p->at == p->end;
}

int ts_json_parse(const char *text, size_t len, size_t max_bytes, struct ts_json **ret,
		  size_t *ret_offset)
{
	struct json_document *d = ts_json_document_new(max_bytes);
	struct parser p = {.begin = text, .at = text, .end = text + len, .document = d};
	int code = 0;

	*ret_offset = 0;
	if (!d)
		return -ENOMEM;
	if (!parse_document(&p))
		code = d->is_full ? -E2BIG : d->failed ? -ENOMEM : -EINVAL;
	if (code) {
		*ret_offset = (size_t)(p.at - p.begin);
		ts_json_free(&d->root);
		return code;
	}
	*ret = &d->root;
	return 0;
}
