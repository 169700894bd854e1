// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/stack.h"

#include <criterion/criterion.h>

#include "tests/support/records.h"

static const struct stack_key key = {.event = 1, .comm = 2, .tid = 3, .tag = 4, .leaf = 5};

static struct stack_hits hit(uint64_t period, uint64_t time_ns, uint32_t tid)
{
	return (struct stack_hits){period, 1, time_ns, tid, tid};
}

Test(stack, finds_an_equal_stack_again)
{
	const uint32_t frames[] = {7, 8, 9};
	struct stacks s = {0};
	uint32_t first = stacks_intern(&s, &key, frames, 3);

	cr_assert_eq(stacks_intern(&s, &key, frames, 3), first);
	cr_assert_neq(stacks_intern(&s, &key, frames, 2), first);
	cr_assert_neq(stacks_intern(&s, &key, NULL, 0), first);
	cr_assert_eq(s.nr, 3);
	stacks_release(&s);
}

Test(stack, remembers_hashes_until_there_are_too_many)
{
	struct stacks s = {0};

	cr_assert_eq(stacks_recall(&s, 1, 2), STACK_NONE);
	for (uint32_t i = 0; i < 5000; i++)
		stacks_remember(&s, i * 0x9e3779b97f4a7c15u, i, i);
	for (uint32_t i = 0; i < 5000; i++)
		cr_assert_eq(stacks_recall(&s, i * 0x9e3779b97f4a7c15u, i), i);
	cr_assert_eq(stacks_recall(&s, 0, 1), STACK_NONE);
	stacks_release(&s);
}

Test(stack, keeps_thread_and_time_of_the_earliest_sample)
{
	struct stacks s = {0};
	uint32_t at = stacks_intern(&s, &key, NULL, 0);
	struct stack_hits hits[] = {hit(1, 20, 8), hit(2, 10, 9), hit(4, 10, 7), hit(8, 30, 6)};

	for (size_t i = 0; i < 4; i++)
		stacks_add(&s, at, &hits[i]);
	cr_assert_eq(s.items[at].period, 15);
	cr_assert_eq(s.items[at].nr_samples, 4);
	cr_assert_eq(s.items[at].first_ns, 10);
	cr_assert_eq(s.items[at].first_tid, 7);
	stacks_release(&s);
}

static void expect_same(const struct stacks *a, uint32_t i, const struct stacks *b, uint32_t k)
{
	cr_assert_lt(k, b->nr);
	cr_assert_eq(a->items[i].hash, b->items[k].hash);
	cr_assert_arr_eq(stack_frames(a, &a->items[i]), stack_frames(b, &b->items[k]),
			 4 * sizeof(uint32_t));
}

/* Merging by parts must neither lose nor repeat anything. */
Test(stack, merges_tables_part_by_part)
{
	enum { WORKERS = 3, PARTS = 4 };
	struct stacks workers[WORKERS] = {0}, parts[PARTS] = {0};
	static struct stack_place places[WORKERS][3 * 3 * 3 * 3];
	uint64_t seed = 1, period = 0, merged = 0;
	uint32_t frames[4], nr_distinct = 0;

	for (int i = 0; i < 5000; i++) {
		struct stacks *w = &workers[i % WORKERS];
		struct stack_hits hits = hit(1 + next_random(&seed) % 9, (uint64_t)i, 1);

		for (size_t f = 0; f < 4; f++)
			frames[f] = (uint32_t)(next_random(&seed) % 3);
		stacks_add(w, stacks_intern(w, &key, frames, 4), &hits);
		period += hits.period;
	}
	for (unsigned int p = 0; p < PARTS; p++)
		for (int w = 0; w < WORKERS; w++)
			cr_assert_eq(stacks_merge(&parts[p], &workers[w], p, PARTS, places[w]), 0);
	for (int w = 0; w < WORKERS; w++)
		for (uint32_t i = 0; i < workers[w].nr; i++)
			expect_same(&workers[w], i, &parts[places[w][i].part], places[w][i].stack);
	for (unsigned int p = 0; p < PARTS; p++) {
		nr_distinct += parts[p].nr;
		for (uint32_t i = 0; i < parts[p].nr; i++)
			merged += parts[p].items[i].period;
		stacks_release(&parts[p]);
	}
	cr_assert_eq(merged, period);
	cr_assert_eq(nr_distinct, 3 * 3 * 3 * 3);
	for (int w = 0; w < WORKERS; w++)
		stacks_release(&workers[w]);
}
