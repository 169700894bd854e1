// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/unwind_table.h"

#include <criterion/criterion.h>

static struct unwind_rule rule_of(int32_t offset)
{
	return (struct unwind_rule){
		.how = UNWIND_STEP, .cfa_reg = UNWIND_RSP, .cfa_offset = offset};
}

static void add(struct unwind_table *t, uint64_t start, uint64_t end, int32_t offset)
{
	const struct unwind_rule rule = rule_of(offset);

	unwind_table_add(t, start, end, &rule);
}

static int32_t offset_at(const struct unwind_table *t, uint64_t addr)
{
	const struct unwind_rule *rule = unwind_table_find(t, addr);

	return rule->how == UNWIND_STEP ? rule->cfa_offset : -1;
}

Test(unwind_table, has_holes_between_functions)
{
	struct unwind_table t;

	unwind_table_init(&t, 100);
	add(&t, 110, 120, 8);
	add(&t, 130, 140, 16);
	unwind_table_finish(&t);
	cr_expect_eq(offset_at(&t, 99), -1);
	cr_expect_eq(offset_at(&t, 109), -1);
	cr_expect_eq(offset_at(&t, 110), 8);
	cr_expect_eq(offset_at(&t, 119), 8);
	cr_expect_eq(offset_at(&t, 120), -1);
	cr_expect_eq(offset_at(&t, 139), 16);
	cr_expect_eq(offset_at(&t, 140), -1);
	unwind_table_release(&t);
}

Test(unwind_table, stores_equal_rules_and_neighbours_once)
{
	struct unwind_table t;

	unwind_table_init(&t, 0);
	add(&t, 10, 20, 8);
	add(&t, 20, 30, 8);
	add(&t, 40, 50, 8);
	unwind_table_finish(&t);
	cr_expect_eq(t.nr_rules, 2);
	cr_expect_eq(t.nr, 4);
	unwind_table_release(&t);
}

Test(unwind_table, takes_functions_in_any_order)
{
	struct unwind_table t;

	unwind_table_init(&t, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int at = i * 7 % 1000;

		add(&t, 10 * at, 10 * at + 10, (int32_t)at);
	}
	unwind_table_finish(&t);
	for (unsigned int i = 0; i < 10000; i++)
		cr_assert_eq(offset_at(&t, i), (int32_t)(i / 10));
	cr_expect_eq(offset_at(&t, 10000), -1);
	unwind_table_release(&t);
}

Test(unwind_table, of_two_that_overlap_the_later_is_found)
{
	struct unwind_table t;

	unwind_table_init(&t, 0);
	add(&t, 10, 20, 8);
	add(&t, 15, 30, 16);
	unwind_table_finish(&t);
	cr_expect_eq(offset_at(&t, 14), 8);
	cr_expect_eq(offset_at(&t, 15), 16);
	unwind_table_release(&t);
}

Test(unwind_table, leaves_out_what_lies_too_far)
{
	struct unwind_table t;

	unwind_table_init(&t, 100);
	add(&t, 50, 60, 8);
	add(&t, UINT32_MAX, 200ull + UINT32_MAX, 8);
	unwind_table_finish(&t);
	cr_expect_eq(t.nr, 0);
	cr_expect_eq(unwind_table_find(&t, UINT64_MAX)->how, UNWIND_UNKNOWN);
	unwind_table_release(&t);
}
