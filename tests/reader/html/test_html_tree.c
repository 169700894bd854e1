// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 *	sh --+-- close 4			5 samples of sh;read itself
 *	     +-- read 5 -- copy 60
 *	     +-- write 3 -- flush 2
 *	zsh 1
 */
enum { CLOSE, COPY, FLUSH, NONE, READ, SH, WRITE, ZSH, LOOKS };

static struct frame_look names[LOOKS] = {
	{.name = "close"}, {.name = "copy"}, {.name = "flush"}, {.name = "none"},
	{.name = "read"},  {.name = "sh"},   {.name = "write"}, {.name = "zsh"},
};
static const struct frame_looks looks = {.items = names, .nr = LOOKS};
static uint32_t numbers[] = {SH, CLOSE, SH, READ, SH, READ, COPY, SH, WRITE, SH, WRITE, FLUSH, ZSH};
static struct stack_path items[] = {
	{.first = 0, .nr = 2}, {.first = 2, .nr = 2}, {.first = 4, .nr = 3},
	{.first = 7, .nr = 2}, {.first = 9, .nr = 3}, {.first = 12, .nr = 1},
};
static const uint64_t samples_of[] = {4, 5, 60, 3, 2, 1};
static const struct stack_paths paths = {
	.looks = &looks, .items = items, .nr = 6, .numbers = numbers, .nr_sides = 1};
static struct timed_sample sampled[75];
static struct timed_samples timed = {.items = sampled, .nr = 75};
static struct stack_tree whole;
static struct html_tree tree;

static void init(void)
{
	uint64_t nr = 0;

	cr_assert_eq(stack_tree_init(&whole, &paths, NULL), 0);
	for (uint32_t path = 0; path < paths.nr; path++)
		for (uint64_t i = 0; i < samples_of[path]; i++)
			sampled[nr++].path = path;
	cr_assert_eq(nr, timed.nr);
}

static void fini(void)
{
	html_tree_release(&tree);
	html_tree_release(&tree);
	stack_tree_release(&whole);
}

TestSuite(html_tree, .init = init, .fini = fini);

static void make(uint32_t most_nodes)
{
	cr_assert_eq(html_tree_init(&tree, &whole, &paths, &timed, most_nodes, NULL), 0);
	cr_expect_leq(tree.nr, most_nodes);
}

/* "sh;read;copy" of a node */
static void name_of(uint32_t node, char *ret)
{
	const char *name = html_tree_name(&tree, &looks, tree.nodes[node].look);

	if (tree.nodes[node].parent != STACK_TREE_ROOT) {
		cr_assert_lt(tree.nodes[node].parent, node);
		name_of(tree.nodes[node].parent, ret);
		strcat(ret, ";");
	}
	strcat(ret, name);
}

static void expect_node(uint32_t node, const char *wanted)
{
	char name[256] = "";

	cr_assert_lt(node, tree.nr);
	name_of(node, name);
	cr_expect_str_eq(name, wanted);
}

static void expect_place(uint32_t path, const char *wanted)
{
	cr_assert_lt(tree.stack_of_path[path], tree.nr_stacks);
	expect_node(tree.node_of_stack[tree.stack_of_path[path]], wanted);
}

Test(html_tree, is_whole_if_it_fits)
{
	make(8);
	cr_expect_eq(tree.nr, 7);
	cr_expect_eq(tree.nr_merged, 0);
	expect_node(0, "sh");
	expect_node(1, "sh;close");
	expect_node(2, "sh;read");
	expect_node(3, "sh;read;copy");
	expect_node(4, "sh;write");
	expect_node(5, "sh;write;flush");
	expect_node(6, "zsh");
	cr_expect_eq(tree.nr_looks, 7); /* nothing has the look "none" */
	cr_expect_eq(tree.nr_stacks, 6);
	for (uint32_t i = 0; i < tree.nr_stacks; i++)
		cr_expect(!i || tree.node_of_stack[i - 1] < tree.node_of_stack[i]);
	expect_place(1, "sh;read");
	expect_place(5, "zsh");
}

/* Up to 5 samples: close, write with flush, zsh. With a lower bound there is not one node less. */
Test(html_tree, merges_the_smallest_into_a_child)
{
	make(6);
	expect_place(2, "sh;read;copy");
	expect_place(1, "sh;read");
	expect_place(0, "sh;(2 small)");
	expect_place(3, "sh;(2 small)");
	expect_place(4, "sh;(2 small)");
	expect_place(5, "(1 small)");
	cr_expect_eq(tree.nr, 5);
	cr_expect_eq(tree.nr_merged, 4);
	cr_expect_eq(tree.nr_stacks, 4);
	for (uint32_t i = 0; i < tree.nr_looks; i++) {
		const bool is_small = *html_tree_name(&tree, &looks, i) == '(';

		cr_expect_eq(!html_tree_look(&tree, &looks, i), is_small);
	}
}

Test(html_tree, of_one_node_is_all)
{
	make(1);
	cr_expect_eq(tree.nr, 1);
	cr_expect_eq(tree.nr_stacks, 1);
	for (uint32_t path = 0; path < paths.nr; path++)
		expect_place(path, "(2 small)");
}

/* Every bound leaves each sample below the same kept callers. */
Test(html_tree, keeps_the_callers_that_it_has)
{
	for (uint32_t most = 1; most < 9; most++) {
		make(most);
		for (uint32_t path = 0; path < paths.nr; path++) {
			char name[256] = "", full[256] = "";
			char *small;

			name_of(tree.node_of_stack[tree.stack_of_path[path]], name);
			for (uint32_t i = 0; i < items[path].nr; i++) {
				strcat(full, i ? ";" : "");
				strcat(full, names[numbers[items[path].first + i]].name);
			}
			small = strchr(name, '(');
			if (small)
				cr_expect(!strncmp(full, name, (size_t)(small - name)), "%s: %s",
					  name, full);
			else
				cr_expect_str_eq(name, full);
		}
		html_tree_release(&tree);
	}
}

Test(html_tree, of_nothing_has_no_node)
{
	const struct stack_paths none = {.looks = &looks, .nr_sides = 1};
	const struct timed_samples no_samples = {0};
	struct stack_tree empty;

	cr_assert_eq(stack_tree_init(&empty, &none, NULL), 0);
	cr_assert_eq(html_tree_init(&tree, &empty, &none, &no_samples, 1, NULL), 0);
	cr_expect_eq(tree.nr, 0);
	cr_expect_eq(tree.nr_stacks, 0);
	stack_tree_release(&empty);
}
