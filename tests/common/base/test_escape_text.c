// SPDX-License-Identifier: Apache-2.0
#include "common/base/escape_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *text, size_t len, const char *but, const char *expected)
{
	char *exact = malloc(len); /* so that a read beyond its end shows under a sanitizer */

	memcpy(exact, text, len);
	ts_escape_text(exact, len, but);
	cr_assert_eq(strlen(expected), len);
	cr_assert_eq(memcmp(exact, expected, len), 0, "%.*s", (int)len, exact);
	free(exact);
}

Test(escape_text, replaces_control_characters)
{
	expect("a\x1b[31mb\x7f\0", 9, "", "a?[31mb??");
	expect("a\nb\tc\r", 6, "", "a?b?c?");
	expect("a\nb\tc\r", 6, "\n\t", "a\nb\tc?");
}

/* Eight bytes are looked at in one step: each byte, at each place, has the same end as alone. */
Test(escape_text, replaces_the_same_characters_at_every_place)
{
	for (unsigned int c = 0; c < 0x100; c++)
		for (size_t at = 0; at < 17; at++) {
			char text[] = "abcdefg ~!0123456", expected[sizeof(text)];

			memcpy(expected, text, sizeof(text));
			text[at] = (char)c;
			expected[at] = c >= ' ' && c <= '~' ? (char)c : '?';
			expect(text, 17, "", expected);
		}
}

Test(escape_text, replaces_control_characters_that_utf8_spells)
{
	expect("\xc2\x9b"
	       "31m",
	       5, "", "??31m");
	expect("\x9b"
	       "31m",
	       4, "", "?31m");
	expect("\xc2\x80\xc2\x9f\xc2\xa0", 6, "", "????\xc2\xa0");
}

Test(escape_text, replaces_what_changes_the_direction_of_text)
{
	static const char *const characters[] = {"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
						 "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6",
						 "\xe2\x81\xa9", "\xd8\x9c"};

	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++)
		expect(characters[i], strlen(characters[i]), "",
		       strlen(characters[i]) == 3 ? "???" : "??");
	/* their neighbours stay: U+200D, U+2010, U+202F, U+2065, U+206A */
	expect("\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", 15, "",
	       "\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa");
}

Test(escape_text, keeps_names_in_any_language)
{
	static const char *const names[] = {"migration/0",
					    "Schr\xc3\xb6"
					    "dinger",
					    "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x90\xa7", ""};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], strlen(names[i]), "", names[i]);
}

Test(escape_text, replaces_what_is_no_utf8)
{
	expect("\xe2\x82", 2, "", "??");	   /* cut */
	expect("\xc3(", 2, "", "?(");		   /* no continuation */
	expect("\xc0\x9b", 2, "", "??");	   /* longer than it must be */
	expect("\xe0\x82\x9b", 3, "", "???");	   /* the same, of three bytes */
	expect("\xf0\x80\x82\x9b", 4, "", "????"); /* of four */
	expect("\xed\xa0\x80", 3, "", "???");	   /* half of a pair */
	expect("\xf5\x80\x80\x80", 4, "", "????"); /* beyond the last character */
	expect("\xff\xfe", 2, "", "??");
}
