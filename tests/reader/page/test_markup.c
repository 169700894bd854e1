// SPDX-License-Identifier: Apache-2.0
#include "reader/page/markup.h"

#include <criterion/criterion.h>
#include <string.h>

#define BAD "\xef\xbf\xbd"

static void expect_put(const char *text, size_t len, const char *wanted)
{
	struct ts_bytes out = {0};

	markup_put(&out, text, len);
	ts_bytes_put(&out, "", 1);
	cr_expect_str_eq((char *)out.data, wanted);
	ts_bytes_release(&out);
}

static void expect_cut(const char *text, size_t most, const char *wanted)
{
	struct ts_bytes out = {0};

	markup_put_cut(&out, text, strlen(text), most);
	ts_bytes_put(&out, "", 1);
	cr_expect_str_eq((char *)out.data, wanted);
	ts_bytes_release(&out);
}

static void expect_plain(const char *text, size_t most, const char *wanted)
{
	struct ts_bytes out = {0};

	markup_put_plain(&out, text, strlen(text), most);
	ts_bytes_put(&out, "", 1);
	cr_expect_str_eq((char *)out.data, wanted);
	ts_bytes_release(&out);
}

Test(markup, is_no_markup_any_more)
{
	expect_put("a<b>&\"'", 7, "a&lt;b&gt;&amp;&quot;&#39;");
	expect_put("</title>", 8, "&lt;/title&gt;");
}

Test(markup, keeps_utf8_and_replaces_the_rest)
{
	expect_put("\xc3\xbcml\xe2\x82\xac\xf0\x9f\x94\xa5", 11,
		   "\xc3\xbcml\xe2\x82\xac\xf0\x9f\x94\xa5");
	expect_put("a\0b\n\x1b\x7f", 6, "a" BAD "b" BAD BAD BAD);
	expect_put("\xc3", 1, BAD);
	expect_put("\xc0\x80", 2, BAD BAD);		    /* too long */
	expect_put("\xe0\x80\x80", 3, BAD BAD BAD);	    /* too long */
	expect_put("\xed\xa0\x80", 3, BAD BAD BAD);	    /* half a pair */
	expect_put("\xf4\x90\x80\x80", 4, BAD BAD BAD BAD); /* beyond the last one */
	expect_put("\xef\xbf\xbf", 3, BAD BAD BAD);	    /* XML has no such character */
	expect_put("\xc2\x85", 2, BAD BAD);		    /* a control character */
}

Test(markup, is_cut_by_characters)
{
	expect_cut("abcdef", 6, "abcdef");
	expect_cut("abcdefg", 6, "abcd..");
	expect_cut("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4, "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc");
	expect_cut("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4, "\xc3\xbc\xc3\xbc..");
	expect_cut("<<<<<", 4, "&lt;&lt;..");
	cr_expect_eq(markup_length("\xc3\xbcx\xff", 4), 3);
}

Test(markup, is_plain_where_there_is_none)
{
	expect_plain("a<b>&\"\n\xff", 99, "a<b>&\"" BAD BAD);
	expect_plain("abc", 3, "abc");
	expect_plain("abc", 2, "ab");
	expect_plain("a\xc3\xbc", 2, "a"); /* no half of a character */
	expect_plain("ab\x01"
		     "c",
		     4, "ab");
	expect_plain("", 4, "");
}

Test(markup, keeps_the_newlines_of_lines)
{
	struct ts_bytes out = {0};

	markup_put_lines(&out, "<a>\nb\x01\n\nc");
	ts_bytes_put(&out, "", 1);
	cr_expect_str_eq((char *)out.data, "&lt;a&gt;\nb" BAD "\n\nc\n");
	ts_bytes_release(&out);
}
