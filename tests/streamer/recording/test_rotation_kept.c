// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "streamer/machine/record_clock.h"
#include "streamer/recording/rotation.h"
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
	return rotation_kept_surplus(&k, 0);
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

Test(rotation_kept, writes_the_stamp_of_perf)
{
	char text[ROTATION_STAMP_BYTES];

	setenv("TZ", "UTC", 1);
	tzset();
	rotation_stamp(text, (struct timespec){.tv_sec = 1450780454, .tv_nsec = 687654321});
	cr_expect_str_eq(text, "2015122210341468");
}

Test(record_clock, reads_the_clock_of_the_kernel_by_an_event)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct record_clock c = RECORD_CLOCK_INIT;
	uint64_t before_ns, after_ns;
	struct ts_error err;

	if (record_clock_open(&c, &attr, &err) < 0)
		cr_skip_test("this user may open no event");
	before_ns = record_clock_now(&c);
	for (int i = 0; i < 1000; i++) { /* more than once around its ring */
		after_ns = record_clock_now(&c);
		cr_assert_gt(after_ns, before_ns);
		before_ns = after_ns;
	}
	record_clock_close(&c);
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

	cr_expect_eq(rotation_kept_surplus(&k, 30), 1);
	cr_expect_eq(rotation_kept_surplus(&k, 100), 2);
	k.is_read = true;
	cr_expect_eq(rotation_kept_surplus(&k, 30), 0);
	cr_expect_eq(rotation_kept_surplus(&k, 31), 1);
	k = (struct rotation_kept){.max_bytes = 10, .bytes = 25, .items = items, .nr = 3};
	items[0].bytes = items[1].bytes = 10;
	items[2].bytes = 5;
	cr_expect_eq(rotation_kept_surplus(&k, 0), 2);
	k.is_read = true;
	cr_expect_eq(rotation_kept_surplus(&k, 0), 1);
}

Test(rotation, takes_names_that_can_stand_behind_a_stamp)
{
	char longest[CUT_NAME_MAX + 2];
	struct ts_error err;

	memset(longest, 'n', sizeof(longest));
	longest[CUT_NAME_MAX + 1] = '\0';
	cr_expect_eq(cut_name_check(longest, &err), -EINVAL);
	longest[CUT_NAME_MAX] = '\0';
	cr_expect_eq(cut_name_check(longest, &err), 0);
	cr_expect_eq(cut_name_check("oom-7.late", &err), 0);
	for (size_t i = 0; i < 5; i++) {
		const char *name = ((const char *[]){"", ".hidden", "../up", "a b", "tab\t"})[i];

		cr_expect_eq(cut_name_check(name, &err), -EINVAL, "'%s'", name);
	}
}
