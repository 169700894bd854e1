// SPDX-License-Identifier: Apache-2.0
#include "common/base/cpus.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

static void check_round_trip(const char *list, const char *expected)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct ts_error err = {0};
	char *text;

	cr_assert_eq(ts_cpus_parse(list, set, &err), 0, "%s: %s", list, err.text);
	text = ts_cpus_text(set);
	cr_assert_str_eq(text, expected);
	free(text);
	hwloc_bitmap_free(set);
}

Test(cpus, reads_and_writes_the_list_form_of_the_kernel)
{
	check_round_trip("", "");
	check_round_trip("\n", "");
	check_round_trip("0", "0");
	check_round_trip("0-3,8\n", "0-3,8");
	check_round_trip("8,3,2,1,0,", "0-3,8");
	check_round_trip("0-1023,1025", "0-1023,1025");
	check_round_trip("5-5", "5");
}

Test(cpus, refuses_what_is_no_list_and_keeps_the_set)
{
	static const char *const bad[] = {"x",	 "-1", "1-",  "3-1",	 "1,,2",
					  "1 2", ",",  "0x3", "99999999"};
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct ts_error err;

	hwloc_bitmap_only(set, 42);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(ts_cpus_parse(bad[i], set, &err), -EINVAL, "'%s'", bad[i]);
	cr_assert(hwloc_bitmap_weight(set) == 1 && hwloc_bitmap_isset(set, 42));
	cr_assert_eq(ts_cpus_parse("0,7-x", set, &err), -EINVAL);
	cr_assert_str_eq(err.text, "cannot read CPUs '0,7-x': a number is expected at 'x'");
	hwloc_bitmap_free(set);
}

Test(cpus, finds_this_machine_online_present_and_allowed)
{
	hwloc_bitmap_t online = hwloc_bitmap_alloc(), present = hwloc_bitmap_alloc();
	hwloc_bitmap_t allowed = hwloc_bitmap_alloc(), isolated = hwloc_bitmap_alloc();
	struct ts_error err;

	cr_assert_eq(ts_cpus_online(online, &err), 0);
	cr_assert_eq(ts_cpus_present(present, &err), 0);
	cr_assert_eq(ts_cpus_allowed(allowed, &err), 0);
	cr_assert_eq(ts_cpus_isolated(isolated, &err), 0);
	cr_assert(!hwloc_bitmap_iszero(online));
	cr_assert(hwloc_bitmap_isincluded(online, present));
	cr_assert(hwloc_bitmap_isincluded(isolated, present));
	cr_assert(!hwloc_bitmap_iszero(allowed));
	hwloc_bitmap_free(online);
	hwloc_bitmap_free(present);
	hwloc_bitmap_free(allowed);
	hwloc_bitmap_free(isolated);
}

Test(cpus, count_of_those_allowed_is_that_of_the_set)
{
	cpu_set_t one;
	hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
	struct ts_error err;

	cr_assert_eq(ts_cpus_allowed(allowed, &err), 0);
	cr_expect_eq(ts_cpus_count_allowed(), (unsigned int)hwloc_bitmap_weight(allowed));
	CPU_ZERO(&one);
	CPU_SET(hwloc_bitmap_first(allowed), &one);
	cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	cr_expect_eq(ts_cpus_count_allowed(), 1);
	hwloc_bitmap_free(allowed);
}
