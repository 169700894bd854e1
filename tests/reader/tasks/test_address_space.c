// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/address_space.h"

#include <criterion/criterion.h>

static void add(struct address_space *s, uint64_t start, uint64_t end, uint64_t time_ns)
{
	struct task_map map = {.start = start, .end = end, .time_ns = time_ns, .dso = s->nr};

	cr_assert_eq(address_space_add(s, &map), 0);
}

static uint32_t scan(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	for (uint32_t i = limit < s->nr ? limit : s->nr; i-- > 0;) {
		if (addr >= s->maps[i].start && addr < s->maps[i].end)
			return i;
	}
	return ADDRESS_SPACE_NONE;
}

static uint32_t scan_before(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	uint32_t found = scan(s, addr, limit);

	while (found != ADDRESS_SPACE_NONE && s->maps[found].is_memory)
		found = scan(s, addr, found);
	return found;
}

Test(address_space, counts_the_maps_that_are_not_younger)
{
	struct address_space s = {0};

	cr_assert_eq(address_space_limit(&s, UINT64_MAX), 0);
	add(&s, 0, 1, 0);
	add(&s, 0, 1, 10);
	add(&s, 0, 1, 10);
	add(&s, 0, 1, 20);
	cr_assert_eq(address_space_limit(&s, 0), 1);
	cr_assert_eq(address_space_limit(&s, 9), 1);
	cr_assert_eq(address_space_limit(&s, 10), 3);
	cr_assert_eq(address_space_limit(&s, UINT64_MAX), 4);
	address_space_release(&s);
}

Test(address_space, finds_nothing_where_it_is_empty)
{
	struct address_space s = {0};

	cr_assert_eq(address_space_freeze(&s, NULL), 0);
	cr_assert_eq(address_space_find(&s, 0, UINT32_MAX), ADDRESS_SPACE_NONE);
	address_space_release(&s);
	address_space_release(&s);
}

Test(address_space, reaches_the_ends_of_the_address_range)
{
	struct address_space s = {0};

	for (uint64_t i = 0; i < 40; i++)
		add(&s, i, UINT64_MAX - i, i);
	cr_assert_eq(address_space_freeze(&s, NULL), 0);
	cr_assert_not_null(s.tree.nodes, "enough maps for a tree");
	cr_assert_eq(address_space_find(&s, 0, 40), 0);
	cr_assert_eq(address_space_find(&s, UINT64_MAX - 1, 40), 0);
	cr_assert_eq(address_space_find(&s, UINT64_MAX, 40), ADDRESS_SPACE_NONE);
	cr_assert_eq(address_space_find(&s, 1ULL << 63, 40), 39);
	cr_assert_eq(address_space_find(&s, 1ULL << 63, 7), 6);
	cr_assert_eq(address_space_find(&s, 1ULL << 63, 0), ADDRESS_SPACE_NONE);
	address_space_release(&s);
}

Test(address_space, finds_by_tree_what_a_scan_finds)
{
	uint64_t v = 1;

	for (uint32_t nr = 20; nr < 500; nr += 7) {
		struct address_space s = {0};

		for (uint32_t i = 0; i < nr; i++) {
			v = v * 6364136223846793005ULL + 1442695040888963407ULL;
			add(&s, v >> 54, (v >> 54) + 1 + (v >> 20) % 50, i);
			s.maps[i].is_memory = nr % 2 && v >> 40 & 1;
		}
		cr_assert_eq(address_space_freeze(&s, NULL), 0);
		cr_assert_eq(!s.before, nr < 25 || nr % 2 == 0, "only where it is needed");
		for (uint64_t addr = 0; addr < 1100; addr++) {
			uint32_t limit = (uint32_t)(addr * 31 % (nr + 10));

			cr_assert_eq(address_space_find(&s, addr, limit), scan(&s, addr, limit));
			cr_assert_eq(address_space_find_before(&s, addr, limit),
				     scan_before(&s, addr, limit));
		}
		address_space_release(&s);
	}
}

/*
 * All addresses of the range have the same result, and the range contains the address that was
 * asked for.
 */
static void expect_range(const struct address_space *s, uint64_t addr, uint32_t limit)
{
	struct task_range range = {0, 1100};
	uint32_t found = address_space_find_around(s, addr, limit, &range);

	cr_assert_eq(found, address_space_find(s, addr, limit));
	cr_assert(range.start <= addr && addr < range.end);
	for (uint64_t at = range.start; at < range.end; at++) {
		cr_assert_eq(address_space_find(s, at, limit), found,
			     "%lu of [%lu, %lu) around %lu", at, range.start, range.end, addr);
		if (found != ADDRESS_SPACE_NONE && s->maps[found].is_memory)
			cr_assert_eq(address_space_find_before(s, at, limit),
				     address_space_find_before(s, addr, limit));
	}
}

Test(address_space, knows_around_an_address_where_the_same_is_found)
{
	uint64_t v = 1;

	for (uint32_t nr = 0; nr < 60; nr += 3) {
		struct address_space s = {0};

		for (uint32_t i = 0; i < nr; i++) {
			v = v * 6364136223846793005ULL + 1442695040888963407ULL;
			add(&s, v >> 54, (v >> 54) + 1 + (v >> 20) % 50, i);
			s.maps[i].is_memory = nr % 2 && v >> 40 & 1;
		}
		cr_assert_eq(address_space_freeze(&s, NULL), 0);
		for (uint64_t addr = 0; addr < 1100; addr++)
			expect_range(&s, addr, (uint32_t)(addr * 31 % (nr + 10)));
		address_space_release(&s);
	}
}
