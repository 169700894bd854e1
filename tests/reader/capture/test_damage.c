// SPDX-License-Identifier: Apache-2.0
#include "reader/capture/damage.h"

#include <criterion/criterion.h>
#include <string.h>

static void add(struct damage *d, uint32_t stream, uint64_t offset)
{
	struct chunk_damage place = {.stream = stream, .offset = offset, .bytes = 8};

	cr_assert_eq(damage_add(d, &place), 0);
}

Test(damage, is_sorted_by_stream_then_offset)
{
	struct damage d = {0};

	add(&d, 1, 0);
	add(&d, 0, UINT64_C(1) << 40);
	add(&d, 0, 4096);
	damage_sort(&d);
	cr_expect_eq(d.items[0].offset, 4096);
	cr_expect_eq(d.items[1].offset, UINT64_C(1) << 40);
	cr_expect_eq(d.items[2].stream, 1);
	damage_release(&d);
}

Test(damage, keeps_the_first_thousand_and_counts_all)
{
	struct damage d = {0};

	for (uint64_t i = 0; i < DAMAGE_MAX + 24; i++)
		add(&d, 0, DAMAGE_MAX + 24 - i);
	damage_sort(&d);
	cr_expect_eq(d.nr, DAMAGE_MAX + 24);
	cr_expect_eq(damage_kept(&d), DAMAGE_MAX);
	cr_expect_eq(d.items[0].offset, 25);
	cr_expect_eq(d.items[DAMAGE_MAX - 1].offset, DAMAGE_MAX + 24);
	damage_release(&d);
}

Test(damage, sorts_and_releases_an_empty_list)
{
	struct damage d = {0};

	damage_sort(&d);
	cr_expect_eq(damage_kept(&d), 0);
	damage_release(&d);
}

Test(damage, merges_a_place_once)
{
	struct damage d = {0}, more = {0};

	add(&d, 0, 8);
	add(&more, 0, 8);
	add(&more, 1, 8);
	add(&more, 1, 8);
	cr_assert_eq(damage_merge(&d, &more), 0);
	cr_expect_eq(d.nr, 2);
	cr_expect_eq(d.items[1].stream, 1);
	damage_release(&d);
	damage_release(&more);
}

Test(damage, merges_what_is_only_counted)
{
	struct damage d = {0}, more = {0};

	add(&d, 1, 0);
	for (uint64_t i = 0; i < DAMAGE_MAX + 5; i++)
		add(&more, 0, i);
	cr_assert_eq(damage_merge(&d, &more), 0);
	cr_expect_eq(d.nr, DAMAGE_MAX + 6);
	damage_release(&d);
	damage_release(&more);
}

Test(damage, cuts_a_long_reason)
{
	char text[400] = {0};
	struct chunk_damage place;

	memset(text, 'x', sizeof(text) - 1);
	place = damage_at(2, 3, 4, text);
	cr_expect_eq(strlen(place.text), sizeof(place.text) - 1);
	cr_expect_eq(place.stream, 2);
	cr_expect_eq(place.offset + place.bytes, 7);
}
