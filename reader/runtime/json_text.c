// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/json_text.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/escape_text.h"
#include "reader/runtime/text.h"

static void put_comma(struct json *j)
{
	if (j->is_behind)
		text_char(j->out, ',');
	j->is_behind = true;
}

static void put_string(struct ts_bytes *out, const char *text, size_t len)
{
	text_char(out, '"');
	for (size_t i = 0; i < len;) {
		uint32_t code;
		size_t nr = ts_escape_utf8_bytes(text + i, len - i, &code);

		if (!nr)
			text_put(out, "\\ufffd");
		else if (ts_escape_is_control(code))
			ts_bytes_printf(out, "\\u%04x", code);
		else if (text[i] == '"' || text[i] == '\\')
			ts_bytes_printf(out, "\\%c", text[i]);
		else
			ts_bytes_put(out, text + i, nr);
		i += nr ? nr : 1;
	}
	text_char(out, '"');
}

static void put_key(struct json *j, const char *key)
{
	put_comma(j);
	if (!key)
		return;
	put_string(j->out, key, strlen(key));
	text_char(j->out, ':');
}

void json_open(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	text_char(j->out, bracket);
	j->is_behind = false;
}

void json_close(struct json *j, char bracket)
{
	text_char(j->out, bracket);
	j->is_behind = true;
}

void json_text(struct json *j, const char *key, const char *text)
{
	json_text_n(j, key, text, strlen(text));
}

void json_text_n(struct json *j, const char *key, const char *text, size_t len)
{
	put_key(j, key);
	put_string(j->out, text, len);
}

void json_bytes(struct json *j, const char *key, struct ts_bytes *text)
{
	json_text_n(j, key, (const char *)text->data, text->len);
	j->out->failed |= text->failed;
	ts_bytes_release(text);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	put_key(j, key);
	text_dec(j->out, value, 0, ' ');
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	put_key(j, key);
	ts_bytes_printf(j->out, "%" PRId64, value);
}

void json_real(struct json *j, const char *key, double value)
{
	put_key(j, key);
	ts_bytes_printf(j->out, "%.6f", value);
}

void json_decimal(struct json *j, const char *key, uint64_t value, unsigned int decimals)
{
	uint64_t unit = 1, rest;

	for (unsigned int i = 0; i < decimals; i++)
		unit *= 10;
	rest = value % unit;
	put_key(j, key);
	text_dec(j->out, value / unit, 0, ' ');
	for (; rest && rest % 10 == 0; rest /= 10)
		decimals--;
	if (!rest)
		return;
	text_char(j->out, '.');
	text_dec(j->out, rest, decimals, '0');
}

void json_null(struct json *j, const char *key)
{
	put_key(j, key);
	text_put(j->out, "null");
}

void json_bool(struct json *j, const char *key, bool value)
{
	put_key(j, key);
	text_put(j->out, value ? "true" : "false");
}

void json_raw(struct json *j, const char *key, const char *value)
{
	put_key(j, key);
	text_put(j->out, value);
}

void json_line(struct json *j)
{
	put_comma(j);
	text_char(j->out, '\n');
	j->is_behind = false;
}
