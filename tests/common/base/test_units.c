// SPDX-License-Identifier: Apache-2.0
#include "common/base/units.h"

#include <criterion/criterion.h>
#include <errno.h>

static uint64_t size_of(const char *text)
{
	uint64_t bytes;

	cr_assert_eq(ts_units_parse_size(text, &bytes), 0, "%s", text);
	return bytes;
}

static uint64_t time_of(const char *text)
{
	uint64_t ns;

	cr_assert_eq(ts_units_parse_time(text, 1000000000, &ns), 0, "%s", text);
	return ns;
}

Test(units, reads_sizes_in_powers_of_1024)
{
	cr_assert_eq(size_of("100"), 100);
	cr_assert_eq(size_of("100B"), 100);
	cr_assert_eq(size_of("512K"), 512 << 10);
	cr_assert_eq(size_of("4m"), 4 << 20);
	cr_assert_eq(size_of("1G"), 1 << 30);
	cr_assert_eq(size_of("2T"), 2ULL << 40);
}

Test(units, refuses_what_is_no_size_and_keeps_the_result)
{
	static const char *const bad[] = {"", "K", "-1", " 1", "1 K", "1KB", "1X", "0x10", "1.5M"};
	uint64_t bytes = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(ts_units_parse_size(bad[i], &bytes), -EINVAL, "'%s'", bad[i]);
	cr_assert_eq(ts_units_parse_size("18446744073709551616", &bytes), -ERANGE);
	cr_assert_eq(ts_units_parse_size("18446744073709551615K", &bytes), -ERANGE);
	cr_assert_eq(bytes, 7);
}

Test(units, reads_times)
{
	cr_assert_eq(time_of("100ms"), 100000000);
	cr_assert_eq(time_of("1s"), 1000000000);
	cr_assert_eq(time_of("2m"), 120000000000);
	cr_assert_eq(time_of("3"), 3000000000);
	cr_assert_eq(time_of("7us"), 7000);
	cr_assert_eq(time_of("1d"), 86400000000000);
	cr_assert_eq(time_of("1.5s"), 1500000000);
	cr_assert_eq(time_of("0.25"), 250000000);
	cr_assert_eq(time_of("2.0625d"), 178200000000000);
	cr_assert_eq(time_of("1.23456789us"), 1234);
}

Test(units, refuses_a_bare_number_where_the_unit_would_be_a_guess)
{
	uint64_t ns;

	cr_assert_eq(ts_units_parse_time("5", 0, &ns), -EINVAL);
	cr_assert_eq(ts_units_parse_time("5x", 1, &ns), -EINVAL);
	cr_assert_eq(ts_units_parse_time("1.5", 0, &ns), -EINVAL);
	cr_assert_eq(ts_units_parse_time("1.s", 1, &ns), -EINVAL);
	cr_assert_eq(ts_units_parse_time(".5s", 1, &ns), -EINVAL);
	cr_assert_eq(ts_units_parse_time("1.5.5s", 1, &ns), -EINVAL);
	cr_assert_eq(ts_units_parse_time("999999999999d", 1, &ns), -ERANGE);
}

Test(units, counts_pages_as_perf_does)
{
	uint64_t pages;
	bool rounded;

	cr_assert_eq(ts_units_parse_pages("128", 4096, &pages, &rounded), 0);
	cr_assert(pages == 128 && !rounded);
	cr_assert_eq(ts_units_parse_pages("3", 4096, &pages, &rounded), 0);
	cr_assert(pages == 4 && rounded);
	cr_assert_eq(ts_units_parse_pages("512K", 4096, &pages, &rounded), 0);
	cr_assert(pages == 128 && !rounded);
	cr_assert_eq(ts_units_parse_pages("10K", 4096, &pages, &rounded), 0);
	cr_assert(pages == 4 && rounded);
	cr_assert_eq(ts_units_parse_pages("0", 4096, &pages, &rounded), 0);
	cr_assert(pages == 1 && rounded);
	cr_assert_eq(ts_units_parse_pages("18446744073709551615", 4096, &pages, &rounded), -ERANGE);
	cr_assert_eq(ts_units_parse_pages("many", 4096, &pages, &rounded), -EINVAL);
}

Test(units, writes_sizes_and_times_for_people)
{
	char buf[TS_UNITS_TEXT];

	cr_assert_str_eq(ts_units_format_size(buf, 0), "0");
	cr_assert_str_eq(ts_units_format_size(buf, 512 << 10), "512K");
	cr_assert_str_eq(ts_units_format_size(buf, 1536 << 10), "1.5M");
	cr_assert_str_eq(ts_units_format_size(buf, UINT64_MAX), "16777216T");
}
