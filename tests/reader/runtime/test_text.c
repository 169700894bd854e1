// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(struct ts_bytes *b, const char *text)
{
	cr_expect_eq(b->len, strlen(text), "%.*s", (int)b->len, (char *)b->data);
	cr_expect(!memcmp(b->data, text, b->len), "%.*s", (int)b->len, (char *)b->data);
	ts_bytes_release(b);
}

Test(text, aligns_numbers_as_printf_does)
{
	struct ts_bytes b = {0};

	text_dec(&b, 0, 3, '0');
	text_char(&b, ' ');
	text_dec(&b, 1234567890123456789u, 5, ' ');
	text_char(&b, ' ');
	text_dec(&b, 42, 5, ' ');
	text_char(&b, ' ');
	text_hex(&b, 0xffffffff81000000u, 16);
	text_char(&b, ' ');
	text_hex(&b, 0xab, 6);
	expect(&b, "000 1234567890123456789    42 ffffffff81000000     ab");
}

Test(text, pads_names_and_keeps_long_ones_whole)
{
	struct ts_bytes b = {0};

	text_name(&b, "ls", 5);
	text_char(&b, '|');
	text_name(&b, "migration/0", 5);
	expect(&b, "   ls|migration/0");
}

Test(text, lets_no_control_character_through)
{
	struct ts_bytes b = {0};

	text_name(&b, "a\033[2Jb\n\177", 0);
	text_put(&b, "\n");
	expect(&b, "a?[2Jb??\n");
}
