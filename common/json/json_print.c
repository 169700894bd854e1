// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/json/json.h"
#include "common/json/json_tree.h"

/* Control characters that have a letter, and the letters. */
static const char controls[] = "\b\f\n\r\t", letters[] = "bfnrt";

static void print_text(const char *text, struct ts_bytes *out)
{
	const char *at;

	ts_bytes_put(out, "\"", 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			ts_bytes_printf(out, "\\%c", c);
		else if (c < ' ' && (at = strchr(controls, c)))
			ts_bytes_printf(out, "\\%c", letters[at - controls]);
		else if (c < ' ')
			ts_bytes_printf(out, "\\u%04x", c);
		else
			ts_bytes_put(out, text, 1);
	}
	ts_bytes_put(out, "\"", 1);
}

/* With a point, by which a parser knows that it is no whole number. */
static void print_real(double real, struct ts_bytes *out)
{
	char text[40];

	snprintf(text, sizeof(text), "%.17g", real);
	ts_bytes_printf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_scalar(const struct ts_json *value, struct ts_bytes *out)
{
	switch (value->kind) {
	case TS_JSON_BOOL:
		ts_bytes_printf(out, "%s", value->number ? "true" : "false");
		return;
	case TS_JSON_INT:
		if (value->is_negative)
			ts_bytes_printf(out, "%" PRId64, (int64_t)value->number);
		else
			ts_bytes_printf(out, "%" PRIu64, value->number);
		return;
	case TS_JSON_REAL:
		print_real(value->real, out);
		return;
	case TS_JSON_TEXT:
		print_text(value->text, out);
		return;
	default:
		ts_bytes_printf(out, "null");
	}
}

static bool is_row_of_numbers(const struct ts_json *list)
{
	if (list->kind != TS_JSON_ARRAY || !list->list.first)
		return false;
	for (const struct ts_json *value = list->list.first; value; value = value->next)
		if (value->kind != TS_JSON_INT)
			return false;
	return true;
}

static void print_break(bool is_row, int level, struct ts_bytes *out)
{
	if (!is_row)
		ts_bytes_printf(out, "\n%*s", 2 * level, "");
}

static void print_value(const struct ts_json *value, int level, struct ts_bytes *out)
{
	bool is_object = value->kind == TS_JSON_OBJECT, is_row = is_row_of_numbers(value);

	if (!is_object && value->kind != TS_JSON_ARRAY) {
		print_scalar(value, out);
		return;
	}
	ts_bytes_put(out, is_object ? "{" : "[", 1);
	for (const struct ts_json *child = value->list.first; child; child = child->next) {
		if (child != value->list.first)
			ts_bytes_put(out, ",", 1);
		print_break(is_row, level + 1, out);
		if (is_object) {
			print_text(child->key, out);
			ts_bytes_put(out, ":", 1);
		}
		print_value(child, level + 1, out);
	}
	print_break(is_row, level, out);
	ts_bytes_put(out, is_object ? "}" : "]", 1);
}

int ts_json_print(const struct ts_json *root, struct ts_bytes *out)
{
	if (!root || root->document->failed)
		return -ENOMEM;
	print_value(root, 0, out);
	return ts_bytes_failed(out) ? -ENOMEM : 0;
}
