// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/pprof_locations.h"

#include <criterion/criterion.h>

/* --- looks: the number of each is its place --- */

enum { SH, MAIN, SORT, LESS, SWAP, NR_LOOKS };

static struct frame_look look_items[NR_LOOKS] = {
	[SH] = {"sh", "", FRAME_KIND_COMMAND},
	[MAIN] = {"main", "prog", FRAME_KIND_USER},
	[SORT] = {"sort", "prog", FRAME_KIND_USER},
	[LESS] = {"less (inlined)", "prog", FRAME_KIND_INLINED},
	[SWAP] = {"swap (inlined)", "prog", FRAME_KIND_INLINED},
};
static const struct frame_looks looks = {.items = look_items, .nr = NR_LOOKS};

static struct pprof_locations locations;
static uint64_t ids[8];

static void init(void)
{
	cr_assert_eq(pprof_locations_init(&locations, &looks, NULL), 0);
}

static void fini(void)
{
	pprof_locations_release(&locations);
}

TestSuite(pprof_locations, .init = init, .fini = fini);

/* Takes `nr` looks, from the command on. Returns how many locations they are, the first of them in *ret. */
static uint32_t take(uint32_t *numbers, uint32_t nr, const uint64_t **ret)
{
	const struct stack_paths paths = {.looks = &looks, .numbers = numbers};
	const struct stack_path path = {.nr = nr};
	const uint32_t nr_ids = pprof_locations_take(&locations, &paths, &path, ids);

	*ret = ids + nr - nr_ids;
	return nr_ids;
}

#define TAKE(ret, ...)                                                                             \
	take((uint32_t[]){SH, __VA_ARGS__}, sizeof((uint32_t[]){SH, __VA_ARGS__}) / 4, ret)

Test(pprof_locations, the_leaf_is_the_first_and_the_command_is_none)
{
	const uint64_t *got;

	cr_assert_eq(TAKE(&got, MAIN, SORT), 2);
	cr_assert_eq(locations.items[got[0] - 1].look, SORT);
	cr_assert_eq(locations.items[got[1] - 1].look, MAIN);
}

Test(pprof_locations, a_path_may_have_no_command)
{
	uint32_t bare[] = {MAIN, SORT};
	const uint64_t *got;

	cr_assert_eq(take(bare, 2, &got), 2);
	cr_assert_eq(locations.items[got[0] - 1].look, SORT);
	cr_assert_eq(locations.items[got[1] - 1].look, MAIN);
}

Test(pprof_locations, a_function_has_one_number_in_all_paths)
{
	const uint64_t *got;
	uint64_t first;

	cr_assert_eq(TAKE(&got, MAIN, SORT), 2);
	first = got[0];
	cr_assert_eq(TAKE(&got, SORT, SORT), 2);
	cr_assert_eq(got[0], first);
	cr_assert_eq(got[1], first);
	cr_assert_eq(locations.nr, 2);
}

Test(pprof_locations, inlined_functions_are_lines_of_the_function_around_them)
{
	const uint64_t *got;
	const struct pprof_location *swap, *less;

	cr_assert_eq(TAKE(&got, MAIN, SORT, LESS, SWAP), 2);
	swap = &locations.items[got[0] - 1];
	cr_assert_eq(swap->look, SWAP);
	cr_assert_eq(swap->nr_lines, 3);
	less = &locations.items[swap->around - 1];
	cr_assert_eq(less->look, LESS);
	cr_assert_eq(locations.items[less->around - 1].look, SORT);
	cr_assert_eq(locations.most_lines, 3);
}

Test(pprof_locations, the_same_function_inlined_into_two_is_two_locations)
{
	const uint64_t *got;
	uint64_t in_sort;

	TAKE(&got, SORT, LESS);
	in_sort = got[0];
	TAKE(&got, MAIN, LESS);
	cr_assert_neq(got[0], in_sort);
	TAKE(&got, MAIN, SORT, LESS);
	cr_assert_eq(got[0], in_sort);
}

Test(pprof_locations, an_inlined_function_without_the_one_around_it_stands_alone)
{
	const uint64_t *got;

	cr_assert_eq(TAKE(&got, LESS), 1);
	cr_assert_eq(locations.items[got[0] - 1].nr_lines, 1);
	cr_assert_eq(locations.items[got[0] - 1].around, 0);
}

Test(pprof_locations, many_locations_keep_their_numbers)
{
	enum { MANY = 5000 };
	static struct frame_look many[MANY];
	const struct frame_looks all = {.items = many, .nr = MANY};
	const uint64_t *got;

	many[0].kind = FRAME_KIND_COMMAND;
	pprof_locations_release(&locations);
	cr_assert_eq(pprof_locations_init(&locations, &all, NULL), 0);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i < MANY; i++) {
			const struct stack_paths paths = {.looks = &all,
							  .numbers = (uint32_t[]){0, i}};
			const struct stack_path path = {.nr = 2};

			cr_assert_eq(pprof_locations_take(&locations, &paths, &path, ids), 1);
			got = &ids[1];
			cr_assert_eq(*got, i);
		}
	cr_assert_eq(locations.nr, MANY - 1);
}
