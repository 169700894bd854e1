// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/parent_key.h"

#include <criterion/criterion.h>

static const struct symbol symbols[] = {
	{.name = "main"}, {.name = "read"}, {.name = "write"}, {.name = "read"}};
static struct frame items[] = {{.symbol = &symbols[0]},
			       {.symbol = &symbols[1]},
			       {.symbol = &symbols[2]},
			       {.symbol = &symbols[3]},
			       {.symbol = NULL}};
static const struct frames frames = {.items = items, .nr = 5};
static struct parents parents;
static regex_t pattern;

static void match(const char *text)
{
	cr_assert_eq(regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB), 0);
	cr_assert_eq(parents_init(&parents, &frames, &pattern), 0);
}

static void clean_up(void)
{
	parents_release(&parents);
	regfree(&pattern);
}

TestSuite(parent, .fini = clean_up);

Test(parent, is_the_first_match_from_either_end)
{
	const uint32_t chain[] = {4, 2, 1, 0};

	match("^(read|write)$");
	cr_expect_str_eq(parents_name(&parents, parents_find(&parents, chain, 4, false)), "write");
	cr_expect_str_eq(parents_name(&parents, parents_find(&parents, chain, 4, true)), "read");
}

Test(parent, of_a_callchain_without_a_match_is_other_and_comes_last)
{
	const uint32_t chain[] = {4, 0};

	match("read|write");
	cr_expect_eq(parents_find(&parents, chain, 2, false), parents.nr);
	cr_expect_str_eq(parents_name(&parents, parents.nr), PARENT_KEY_OTHER);
	cr_expect_eq(parents_find(&parents, chain, 0, false), parents.nr, "nor of an empty one");
}

Test(parent, numbers_names_in_their_order_and_equal_ones_once)
{
	const uint32_t a = 1, b = 3, c = 2;

	match("read|write");
	cr_expect_eq(parents.nr, 2);
	cr_expect_eq(parents_find(&parents, &a, 1, false), 0);
	cr_expect_eq(parents_find(&parents, &b, 1, false), 0, "of another object, the same name");
	cr_expect_eq(parents_find(&parents, &c, 1, false), 1);
}
