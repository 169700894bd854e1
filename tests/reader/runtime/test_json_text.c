// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/json_text.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(struct ts_bytes *b, const char *text)
{
	cr_expect_eq(b->len, strlen(text), "%.*s", (int)b->len, (char *)b->data);
	cr_expect(!memcmp(b->data, text, b->len), "%.*s", (int)b->len, (char *)b->data);
	ts_bytes_release(b);
}

Test(json_text, puts_commas_between_members_only)
{
	struct ts_bytes b = {0};
	struct json j = {.out = &b};

	json_open(&j, NULL, '{');
	json_open(&j, "none", '[');
	json_close(&j, ']');
	json_u64(&j, "most", UINT64_MAX);
	json_line(&j);
	json_open(&j, "some", '[');
	json_i64(&j, NULL, -1);
	json_bool(&j, NULL, true);
	json_close(&j, ']');
	json_real(&j, "half", 0.5);
	json_close(&j, '}');
	expect(&b, "{\"none\":[],\"most\":18446744073709551615,\n\"some\":[-1,true],\"half\":0."
		   "500000}");
}

Test(json_text, escapes_what_cannot_stand_in_text)
{
	struct ts_bytes b = {0};
	struct json j = {.out = &b};

	json_text(&j, NULL, "a\"b\\c\n\x1b[0m\x7f");
	expect(&b, "\"a\\\"b\\\\c\\u000a\\u001b[0m\\u007f\"");
}

Test(json_text, replaces_what_is_no_utf8)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{"\xc3\xa4", "\"\xc3\xa4\""},				  /* two bytes */
		{"\xe2\x82\xac", "\"\xe2\x82\xac\""},			  /* three */
		{"\xf0\x9f\x99\x82", "\"\xf0\x9f\x99\x82\""},		  /* four */
		{"\xc3", "\"\\ufffd\""},				  /* cut short */
		{"\xc0\x80", "\"\\ufffd\\ufffd\""},			  /* longer than need be */
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},		  /* half of a pair */
		{"\xf5\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* too large */
		{"\x80x\xff", "\"\\ufffdx\\ufffd\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ts_bytes b = {0};
		struct json j = {.out = &b};

		json_text(&j, NULL, cases[i].text);
		expect(&b, cases[i].wanted);
	}
}
