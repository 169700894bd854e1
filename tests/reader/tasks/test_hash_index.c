// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/hash_index.h"

#include <criterion/criterion.h>

static uint32_t only_position(const struct hash_index *ix, uint32_t hash)
{
	struct hash_walk walk = hash_walk(ix, hash);
	uint32_t position, more;

	cr_assert(hash_walk_next(ix, &walk, &position), "hash %u", hash);
	cr_assert(!hash_walk_next(ix, &walk, &more));
	return position;
}

Test(hash_index, finds_nothing_while_it_is_empty)
{
	struct hash_index ix = {0};
	struct hash_walk walk = hash_walk(&ix, 5);
	uint32_t position;

	cr_assert(!hash_walk_next(&ix, &walk, &position));
	hash_index_release(&ix);
}

Test(hash_index, finds_each_of_many_numbers_that_are_close)
{
	struct hash_index ix = {0};
	struct hash_walk walk;
	uint32_t position;

	for (uint32_t i = 0; i < 100000; i++)
		cr_assert_eq(hash_index_add(&ix, i * 8, i), 0);
	for (uint32_t i = 0; i < 100000; i++)
		cr_assert_eq(only_position(&ix, i * 8), i);
	walk = hash_walk(&ix, 7);
	cr_assert(!hash_walk_next(&ix, &walk, &position));
	hash_index_release(&ix);
}

Test(hash_index, walks_all_positions_of_one_hash)
{
	struct hash_index ix = {0};
	uint32_t position, seen = 0;
	struct hash_walk walk;

	for (uint32_t i = 0; i < 20; i++) {
		cr_assert_eq(hash_index_add(&ix, 42, i), 0);
		cr_assert_eq(hash_index_add(&ix, 43 + i, 100 + i), 0);
	}
	walk = hash_walk(&ix, 42);
	while (hash_walk_next(&ix, &walk, &position)) {
		cr_assert_lt(position, 20);
		seen |= 1U << position;
	}
	cr_assert_eq(seen, (1U << 20) - 1);
	hash_index_release(&ix);
	hash_index_release(&ix);
}
