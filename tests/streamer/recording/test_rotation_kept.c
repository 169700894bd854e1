// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "streamer/recording/rotation_kept.h"

static size_t surplus(uint64_t max_files, uint64_t max_bytes, const uint64_t *bytes, size_t nr)
{
	struct kept_item items[8] = {0};
	struct rotation_kept k = {
		.max_files = max_files, .max_bytes = max_bytes, .items = items, .nr = nr};

	for (size_t i = 0; i < nr; i++) {
		items[i].bytes = bytes[i];
		k.bytes += bytes[i];
	}
	return rotation_kept_surplus(&k, 0, 0);
}

Test(rotation_kept, has_no_surplus_without_a_bound)
{
	cr_expect_eq(surplus(0, 0, (uint64_t[]){9, 9, 9}, 3), 0);
	cr_expect_eq(surplus(1, 1, NULL, 0), 0);
}

Test(rotation_kept, counts_directories)
{
	cr_expect_eq(surplus(2, 0, (uint64_t[]){1, 1, 1}, 3), 1);
	cr_expect_eq(surplus(3, 0, (uint64_t[]){1, 1, 1}, 3), 0);
	cr_expect_eq(surplus(1, 0, (uint64_t[]){1, 1, 1}, 3), 2);
}

Test(rotation_kept, counts_bytes_and_spares_the_newest)
{
	cr_expect_eq(surplus(0, 20, (uint64_t[]){10, 10, 10}, 3), 1);
	cr_expect_eq(surplus(0, 30, (uint64_t[]){10, 10, 10}, 3), 0);
	cr_expect_eq(surplus(0, 5, (uint64_t[]){10, 10, 10}, 3), 2);
	cr_expect_eq(surplus(2, 5, (uint64_t[]){1, 1, 1, 1}, 4), 2);
}

Test(rotation_kept, counts_the_bytes_of_the_running_one)
{
	struct kept_item items[] = {{.bytes = 10}, {.bytes = 10}, {.bytes = 10}};
	const struct rotation_kept k = {.max_bytes = 30, .bytes = 30, .items = items, .nr = 3};

	cr_expect_eq(rotation_kept_surplus(&k, 0, 0), 0);
	cr_expect_eq(rotation_kept_surplus(&k, 1, 0), 1);
	cr_expect_eq(rotation_kept_surplus(&k, 15, 0), 2);
	cr_expect_eq(rotation_kept_surplus(&k, 100, 0), 2);
}

Test(rotation_kept, takes_what_was_reserved)
{
	struct rotation_kept k = {.is_list = true};
	struct ts_notes notes = {0};
	struct ts_error err;

	cr_assert_eq(rotation_kept_reserve(&k, &err), 0);
	cr_expect_not_null(k.spare);
	cr_expect_gt(k.cap, k.nr);
	cr_expect(rotation_kept_add(&k, -1, "some/where.1", 7, &notes));
	cr_assert_eq(k.nr, 1);
	cr_expect_str_eq(k.items[0].path, "some/where.1");
	cr_expect_str_eq(k.items[0].name, "where.1");
	cr_expect_eq(k.bytes, 7);
	rotation_kept_release(&k);
}

Test(rotation_kept, finds_the_first_that_has_something_of_a_time)
{
	struct kept_item items[] = {{.end_ns = 10}, {.end_ns = 20}, {.end_ns = 30}};
	struct rotation_kept k = {.items = items, .nr = 3};

	cr_expect_eq(rotation_kept_since(&k, 0), 0);
	cr_expect_eq(rotation_kept_since(&k, 10), 0);
	cr_expect_eq(rotation_kept_since(&k, 11), 1);
	cr_expect_eq(rotation_kept_since(&k, 30), 2);
	cr_expect_eq(rotation_kept_since(&k, 31), 3);
}

Test(rotation_kept, counts_time_and_is_patient_with_readers)
{
	struct kept_item items[] = {{.end_ns = 10}, {.end_ns = 20}, {.end_ns = 30}};
	struct rotation_kept k = {.max_age_ns = 10, .items = items, .nr = 3};

	cr_expect_eq(rotation_kept_surplus(&k, 0, 30), 1);
	cr_expect_eq(rotation_kept_surplus(&k, 0, 100), 2);
	k.is_read = true;
	cr_expect_eq(rotation_kept_surplus(&k, 0, 30), 0);
	cr_expect_eq(rotation_kept_surplus(&k, 0, 31), 1);
	k = (struct rotation_kept){.max_bytes = 10, .bytes = 25, .items = items, .nr = 3};
	items[0].bytes = items[1].bytes = 10;
	items[2].bytes = 5;
	cr_expect_eq(rotation_kept_surplus(&k, 0, 0), 2);
	k.is_read = true;
	cr_expect_eq(rotation_kept_surplus(&k, 0, 0), 1);
}
