// SPDX-License-Identifier: Apache-2.0
#include "reader/page/stack_tree.h"

#include <criterion/criterion.h>

/* sh;main;read 3, sh;main;read;copy 2, sh;main;write 1, zsh;main 4: looks are 0 to 5 */
enum { COPY, MAIN, READ, SH, WRITE, ZSH };

#define NR(n)                                                                                      \
	{                                                                                          \
		(n), 10 * (n)                                                                      \
	}

static uint32_t numbers[] = {SH, MAIN, READ, SH, MAIN, READ, COPY, SH, MAIN, WRITE, ZSH, MAIN};
static struct stack_path items[] = {
	{.first = 0, .nr = 3, .weight = {NR(3), NR(1)}},
	{.first = 3, .nr = 4, .weight = {NR(2), NR(0)}},
	{.first = 7, .nr = 3, .weight = {NR(1), NR(5)}},
	{.first = 10, .nr = 2, .weight = {NR(4), NR(0)}},
};
static struct stack_paths paths = {.items = items, .nr = 4, .numbers = numbers, .nr_sides = 2};

static void expect_node(const struct stack_tree *t, uint32_t i, struct stack_node wanted)
{
	const struct stack_node *node = &t->nodes[i];

	cr_assert_lt(i, t->nr);
	cr_expect_eq(node->look, wanted.look, "node %u", i);
	cr_expect_eq(node->parent, wanted.parent, "node %u", i);
	cr_expect_eq(node->depth, wanted.depth, "node %u", i);
	for (int side = 0; side < STACK_SIDES; side++) {
		cr_expect_eq(node->before[side].nr_samples, wanted.before[side].nr_samples,
			     "node %u, side %d", i, side);
		cr_expect_eq(node->total[side].nr_samples, wanted.total[side].nr_samples,
			     "node %u, side %d", i, side);
		cr_expect_eq(node->total[side].period, wanted.total[side].period);
	}
}

Test(stack_tree, has_a_node_for_each_prefix_in_preorder)
{
	struct stack_tree t;

	cr_assert_eq(stack_tree_init(&t, &paths, NULL), 0);
	cr_expect_eq(t.nr, 7);
	expect_node(
		&t, 0,
		(struct stack_node){SH, STACK_TREE_ROOT, 0, {0}, {NR(0), NR(0)}, {NR(6), NR(6)}});
	expect_node(&t, 1, (struct stack_node){MAIN, 0, 1, {0}, {NR(0), NR(0)}, {NR(6), NR(6)}});
	expect_node(&t, 2, (struct stack_node){READ, 1, 2, {0}, {NR(0), NR(0)}, {NR(5), NR(1)}});
	expect_node(&t, 3, (struct stack_node){COPY, 2, 3, {0}, {NR(3), NR(1)}, {NR(2), NR(0)}});
	expect_node(&t, 4, (struct stack_node){WRITE, 1, 2, {0}, {NR(5), NR(1)}, {NR(1), NR(5)}});
	expect_node(
		&t, 5,
		(struct stack_node){ZSH, STACK_TREE_ROOT, 0, {0}, {NR(6), NR(6)}, {NR(4), NR(0)}});
	expect_node(&t, 6, (struct stack_node){MAIN, 5, 1, {0}, {NR(6), NR(6)}, {NR(4), NR(0)}});
	stack_tree_release(&t);
	stack_tree_release(&t);
}

Test(stack_tree, of_nothing_has_no_node)
{
	const struct stack_paths none = {.nr_sides = 1};
	struct stack_tree t;

	cr_assert_eq(stack_tree_init(&t, &none, NULL), 0);
	cr_expect_eq(t.nr, 0);
	stack_tree_release(&t);
}

Test(stack_tree, has_the_least_and_the_most_of_the_runs_through_a_node)
{
	struct stack_run runs[12] = {[1] = {2, 3}, [4] = {5, 5}, [8] = {1, 1}, [11] = {7, 7}};
	struct stack_paths joined = paths;
	struct stack_tree t;

	joined.runs = runs;
	cr_assert_eq(stack_tree_init(&t, &joined, NULL), 0);
	cr_expect_eq(t.nodes[1].run.least, 1);
	cr_expect_eq(t.nodes[1].run.most, 5);
	cr_expect_eq(t.nodes[6].run.least, 7);
	cr_expect_eq(t.nodes[6].run.most, 7);
	stack_tree_release(&t);
}

static void expect_text(struct stack_run run, const char *wanted)
{
	struct ts_bytes text = {0};

	stack_tree_put_run(&run, &text);
	ts_bytes_put(&text, "", 1);
	cr_expect_str_eq((char *)text.data, wanted);
	ts_bytes_release(&text);
}

Test(stack_tree, says_how_many_frames_are_one)
{
	expect_text((struct stack_run){0, 0}, "");
	expect_text((struct stack_run){1, 1}, "");
	expect_text((struct stack_run){23, 23}, " (23 frames)");
	expect_text((struct stack_run){2, 60}, " (2 to 60 frames)");
	expect_text((struct stack_run){1, UINT16_MAX}, " (1 to 65535 frames)");
}
