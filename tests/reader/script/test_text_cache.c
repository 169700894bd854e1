// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "reader/runtime/memory_limit.h"
#include "reader/script/text_cache.h"

#define LONG_TEXT 1000

static const struct text_key first = {.a = 1, .b = 2, .c = 3, .d = 4};

static bool gives(struct text_cache *c, const struct text_key *key, const char *body,
		  const char *wanted)
{
	struct ts_bytes out = {0};
	bool is_found = text_cache_put(c, key, body, strlen(body), &out);
	bool is_wanted = is_found && out.len == strlen(wanted) &&
			 (!out.len || !memcmp(out.data, wanted, out.len));

	cr_assert(is_found || !out.len);
	cr_assert(!is_found || is_wanted);
	ts_bytes_release(&out);
	return is_found;
}

static void remember(struct text_cache *c, const struct text_key *key, const char *body,
		     const char *text)
{
	cr_assert(!gives(c, key, body, ""));
	text_cache_add(c, key, body, strlen(body), text, strlen(text));
}

Test(text_cache, gives_the_text_of_a_key_again)
{
	struct text_cache c;

	text_cache_init(&c, NULL);
	remember(&c, &first, "body", "some text\n");
	remember(&c, &first, "", "");
	cr_assert(gives(&c, &first, "body", "some text\n"));
	cr_assert(gives(&c, &first, "", ""));
	text_cache_release(&c);
}

Test(text_cache, tells_every_part_of_a_key_apart)
{
	struct text_key others[] = {first, first, first, first};
	struct text_cache c;

	others[0].a++;
	others[1].b++;
	others[2].c++;
	others[3].d++;
	text_cache_init(&c, NULL);
	remember(&c, &first, "body", "text");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert(!gives(&c, &others[i], "body", ""));
	cr_assert(!gives(&c, &first, "bod", ""));
	cr_assert(!gives(&c, &first, "body2", ""));
	text_cache_release(&c);
}

/* More texts, and more bytes, than the cache can hold. */
Test(text_cache, forgets_and_never_gives_another_text)
{
	char body[32], text[LONG_TEXT + 32];
	struct text_cache c;
	int nr_found = 0;

	text_cache_init(&c, NULL);
	memset(text, 'x', LONG_TEXT);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 20000; i++) {
			snprintf(body, sizeof(body), "%d", i);
			snprintf(text + (i & 1 ? LONG_TEXT : 0), 32, "text of %d", i);
			nr_found += gives(&c, &first, body, text);
			if (!gives(&c, &first, body, text))
				text_cache_add(&c, &first, body, strlen(body), text, strlen(text));
			cr_assert(gives(&c, &first, body, text));
			memset(text, 'x', LONG_TEXT);
		}
	}
	cr_assert(nr_found < 40000);
	text_cache_release(&c);
}

Test(text_cache, remembers_nothing_where_memory_is_limited)
{
	struct memory none;
	struct text_cache c;

	memory_init(&none, 1, NULL);
	text_cache_init(&c, &none);
	remember(&c, &first, "body", "text");
	cr_assert(!gives(&c, &first, "body", ""));
	text_cache_release(&c);
	memory_release(&none);
}
