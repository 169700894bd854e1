// SPDX-License-Identifier: Apache-2.0
#include "common/json/json.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, struct ts_json **ret)
{
	size_t offset;

	*ret = NULL;
	return ts_json_parse(text, strlen(text), SIZE_MAX, ret, &offset);
}

/* For the caller to free. */
static char *print(const struct ts_json *root)
{
	struct ts_bytes text = {0};

	cr_assert_eq(ts_json_print(root, &text), 0);
	ts_bytes_put(&text, "", 1);
	return (char *)text.data;
}

static void expect_text(const struct ts_json *root, const char *expected)
{
	char *text = print(root);

	cr_expect_str_eq(text, expected);
	free(text);
}

Test(json, prints_what_was_put)
{
	struct ts_json *root = ts_json_new(), *list;

	ts_json_put_number(root, "largest", UINT64_MAX);
	ts_json_put_signed(root, "negative", -1);
	ts_json_put_real(root, "whole", 3);
	ts_json_put_real(root, "part", 0.25);
	ts_json_put_bool(root, "yes", true);
	ts_json_put_text(root, "text", "a\"\\/\n\x01\x7f\xc3\xa9");
	ts_json_put_object(root, "empty");
	list = ts_json_put_array(root, "list");
	ts_json_put_number(ts_json_put_object(list, NULL), "one", 1);
	ts_json_put_text(list, NULL, "two");
	list = ts_json_put_array(root, "row");
	for (uint64_t i = 0; i < 3; i++)
		ts_json_put_number(list, NULL, i);
	expect_text(root, "{\n"
			  "  \"largest\":18446744073709551615,\n"
			  "  \"negative\":-1,\n"
			  "  \"whole\":3.0,\n"
			  "  \"part\":0.25,\n"
			  "  \"yes\":true,\n"
			  "  \"text\":\"a\\\"\\\\/\\n\\u0001\x7f\xc3\xa9\",\n"
			  "  \"empty\":{\n"
			  "  },\n"
			  "  \"list\":[\n"
			  "    {\n"
			  "      \"one\":1\n"
			  "    },\n"
			  "    \"two\"\n"
			  "  ],\n"
			  "  \"row\":[0,1,2]\n"
			  "}");
	ts_json_free(root);
}

Test(json, replaces_a_member_in_its_place_and_removes_it)
{
	struct ts_json *root = ts_json_new();

	ts_json_put_number(root, "a", 1);
	ts_json_put_number(root, "b", 2);
	ts_json_put_text(root, "a", "x");
	expect_text(root, "{\n  \"a\":\"x\",\n  \"b\":2\n}");
	ts_json_remove(root, "b");
	ts_json_remove(root, "c");
	ts_json_put_number(root, "d", 4);
	expect_text(root, "{\n  \"a\":\"x\",\n  \"d\":4\n}");
	ts_json_remove(root, "a");
	ts_json_remove(root, "d");
	cr_expect_eq(ts_json_count(root), 0);
	ts_json_free(root);
}

Test(json, copies_a_document)
{
	static const char text[] =
		"{\"a\":[1,-2,0.5,\"t\",null,true,{\"b\":[]}],\"c\":{\"d\":\"\"}}";
	struct ts_json *root, *copy;
	char *before, *after;

	cr_assert_eq(parse(text, &root), 0);
	copy = ts_json_copy(root);
	before = print(root);
	ts_json_free(root);
	after = print(copy);
	cr_expect_str_eq(before, after);
	ts_json_free(copy);
	free(before);
	free(after);
}

Test(json, finds_members_by_key_and_kind)
{
	struct ts_json *root;

	cr_assert_eq(
		parse(" {\"n\": 5, \"m\": -5, \"r\": 1.5e2, \"t\": \"x\", \"b\": true, \"n\": 6} ",
		      &root),
		0);
	cr_expect_eq(ts_json_number(root, "n"), 6, "the last one counts");
	cr_expect_eq(ts_json_number(root, "m"), 0);
	cr_expect_eq(ts_json_number(root, "t"), 0);
	cr_expect_eq(ts_json_real(root, "r", 0), 150);
	cr_expect_eq(ts_json_real(root, "n", 0), 6);
	cr_expect_eq(ts_json_real(root, "m", 7), -5);
	cr_expect_eq(ts_json_real(root, "t", 7), 7);
	cr_expect_eq(ts_json_real(root, "nothing", 7), 7);
	cr_expect_str_eq(ts_json_text(root, "t"), "x");
	cr_expect_null(ts_json_text(root, "n"));
	cr_expect(ts_json_is_true(root, "b"));
	cr_expect_not(ts_json_is_true(root, "n"));
	cr_expect_null(ts_json_member(root, "n", TS_JSON_TEXT));
	cr_expect_not_null(ts_json_any(root, "n"));
	ts_json_free(root);
}

Test(json, adds_nothing_to_nothing)
{
	struct ts_json *root = ts_json_new();
	struct ts_json *list = ts_json_put_array(root, "list");

	ts_json_put_number(NULL, "a", 1);
	ts_json_put_text(NULL, "a", "x");
	ts_json_put_text(root, "a", NULL);
	ts_json_put_copy(root, "a", NULL);
	ts_json_put_number(list, "key", 1); /* arrays have no keys */
	ts_json_put_number(root, NULL, 1);  /* objects have */
	cr_expect_null(ts_json_put_object(NULL, "a"));
	cr_expect_null(ts_json_first(NULL));
	cr_expect_null(ts_json_next(NULL));
	expect_text(root, "{\n  \"list\":[\n  ]\n}");
	ts_json_remove(NULL, "a");
	ts_json_put_number(list, NULL, 1);
	ts_json_remove(list, "a");
	cr_expect_eq(ts_json_count(list), 1);
	ts_json_free(NULL);
	ts_json_free(root);
}

Test(json, reads_escapes)
{
	static const char text[] =
		"{\"a\\u0062\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\ude00"
		"\\ud83d\\ude00\\u0000\\ud83d-\\udead\\ud83d\\u0041\"}";
	struct ts_json *root;

	cr_assert_eq(parse(text, &root), 0);
	cr_expect_str_eq(ts_json_text(root, "ab"),
			 "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
			 "\xef\xbf\xbd\xef\xbf\xbd-\xef\xbf\xbd\xef\xbf\xbd");
	ts_json_free(root);
}

Test(json, keeps_whole_numbers_within_64_bits)
{
	struct ts_json *root;

	cr_assert_eq(parse("{\"a\":18446744073709551615,\"b\":18446744073709551616,"
			   "\"c\":99999999999999999999999999,\"d\":-9223372036854775808,"
			   "\"e\":-99999999999999999999999999}",
			   &root),
		     0);
	cr_expect_eq(ts_json_number(root, "a"), UINT64_MAX);
	cr_expect_eq(ts_json_number(root, "b"), UINT64_MAX);
	cr_expect_eq(ts_json_number(root, "c"), UINT64_MAX);
	ts_json_remove(root, "a");
	ts_json_remove(root, "b");
	ts_json_remove(root, "c");
	expect_text(root, "{\n  \"d\":-9223372036854775808,\n  \"e\":-9223372036854775808\n}");
	ts_json_free(root);
}

Test(json, refuses_what_is_no_object)
{
	static const char *const texts[] = {
		"",
		" ",
		"{",
		"[]",
		"null",
		"7",
		"\"x\"",
		"{}x",
		"{} {}",
		"{,}",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{\"a\":1 \"b\":2}",
		"{a:1}",
		"{'a':1}",
		"{\"a\":[1,]}",
		"{\"a\":[1 2]}",
		"{\"a\":[1}",
		"{\"a\":01}",
		"{\"a\":-}",
		"{\"a\":+1}",
		"{\"a\":.5}",
		"{\"a\":1.}",
		"{\"a\":1e}",
		"{\"a\":1e999}",
		"{\"a\":NaN}",
		"{\"a\":nul}",
		"{\"a\":True}",
		"{\"a\":\"\n\"}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\\ud83d\\u12\"}",
		"{\"a\":\"x",
		"{\"a\":\"x\\",
		"{\"a\":\"x\\\"}",
	};
	struct ts_json *root;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		cr_expect_eq(parse(texts[i], &root), -EINVAL, "%s", texts[i]);
		cr_expect_null(root);
	}
}

Test(json, reads_no_byte_behind_the_text)
{
	static const char text[] = "{\"a\":[1.5e3,\"\\ud83d\\ude00\",true],\"b\":-7}";
	struct ts_json *root;
	size_t offset;

	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		char *copy = malloc(len + 1); /* a sanitizer watches its end */

		memcpy(copy, text, len);
		copy = realloc(copy, len ? len : 1);
		cr_expect_eq(ts_json_parse(copy, len, SIZE_MAX, &root, &offset), -EINVAL);
		cr_expect_leq(offset, len);
		free(copy);
	}
}

Test(json, says_where_a_text_makes_no_sense)
{
	struct ts_json *root;
	size_t offset;

	cr_assert_eq(ts_json_parse("{\"a\":1,\"b\":x}", 13, SIZE_MAX, &root, &offset), -EINVAL);
	cr_expect_eq(offset, 11);
}

Test(json, ends_at_32_levels)
{
	struct ts_json *root;
	char text[256];

	for (int depth = 31; depth <= 32; depth++) {
		strcpy(text, "{\"a\":");
		memset(text + 5, '[', (size_t)depth);
		memset(text + 5 + depth, ']', (size_t)depth);
		strcpy(text + 5 + 2 * depth, "}");
		cr_expect_eq(parse(text, &root), depth == 31 ? 0 : -EINVAL);
		ts_json_free(root);
	}
}

Test(json, ends_at_its_limit_of_memory)
{
	const size_t nr = 10000;
	char *text = malloc(nr * 2 + 8);
	struct ts_json *root;
	size_t offset;

	strcpy(text, "{\"a\":[");
	for (size_t i = 0; i < nr; i++)
		memcpy(text + 6 + 2 * i, "0,", 2);
	strcpy(text + 5 + 2 * nr, "]}");
	cr_expect_eq(ts_json_parse(text, strlen(text), 100000, &root, &offset), -E2BIG);
	cr_assert_eq(ts_json_parse(text, strlen(text), 2 << 20, &root, &offset), 0);
	cr_expect_eq(ts_json_count(ts_json_any(root, "a")), nr);
	ts_json_free(root);
	free(text);
}
