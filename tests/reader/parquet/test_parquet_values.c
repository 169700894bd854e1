// SPDX-License-Identifier: Apache-2.0
#include "reader/parquet/parquet_values.h"

#include <criterion/criterion.h>
#include <string.h>

static struct ts_bytes out;

static void fini(void)
{
	ts_bytes_release(&out);
}

TestSuite(parquet_values, .fini = fini);

static void expect(const void *bytes, size_t len)
{
	cr_assert_eq(out.len, len, "%zu bytes, %zu wanted", out.len, len);
	cr_expect(!memcmp(out.data, bytes, len));
}

/* The second example of DELTA_BINARY_PACKED in Encodings.md, but in whole bytes and blocks of 128. */
Test(parquet_values, has_differences_above_the_smallest_one)
{
	static const uint64_t values[] = {7, 5, 3, 1, 2, 3, 4, 5};
	uint8_t wanted[10 + 32] = {0x80, 1, 4, 8, 14, 3, 8, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3};

	parquet_values_put_differences(&out, values, 8, 8);
	expect(wanted, sizeof(wanted));
}

Test(parquet_values, has_differences_modulo_the_width)
{
	static const uint64_t values[] = {UINT32_MAX, 0, UINT32_MAX};
	/* -1, then 1 and -1: the smallest is -1 */
	static const uint8_t head[] = {0x80, 1, 4, 3, 1, 1, 8, 0, 0, 0, 2, 0};

	parquet_values_put_differences(&out, values, 3, 4);
	cr_assert_eq(out.len, 10 + 32);
	cr_expect(!memcmp(out.data, head, sizeof(head)));
}

Test(parquet_values, has_any_difference)
{
	static const uint64_t values[] = {0, UINT64_MAX, 1ull << 63, 5};

	parquet_values_put_differences(&out, values, 4, 8);
	cr_expect_gt(out.len, 32 * 8);
}

Test(parquet_values, has_no_bits_for_equal_differences)
{
	uint64_t values[1000];

	for (int i = 0; i < 1000; i++)
		values[i] = 7000 + 10 * (uint64_t)i;
	parquet_values_put_differences(&out, values, 1000, 8);
	cr_expect_lt(out.len, 8 + 8 * 5 + 8);
}

Test(parquet_values, has_no_differences_of_one_value)
{
	static const uint64_t value = 3;

	parquet_values_put_differences(&out, &value, 1, 8);
	expect("\x80\1\4\1\6", 5);
}

Test(parquet_values, has_places_in_whole_bytes_and_groups_of_eight)
{
	static const uint64_t places[] = {0, 1, 2};

	parquet_values_put_places(&out, places, 3, 3);
	expect("\x08\x03\0\1\2\0\0\0\0\0", 10);
	ts_bytes_clear(&out);
	parquet_values_put_places(&out, places, 2, 257);
	cr_expect_eq(out.data[0], 16);
	ts_bytes_clear(&out);
	parquet_values_put_places(&out, places, 2, 256);
	cr_expect_eq(out.data[0], 8);
}

Test(parquet_values, has_one_run_of_one_entry)
{
	static const uint64_t places[100];

	parquet_values_put_places(&out, places, 100, 1);
	expect("\x08\xc8\x01\0", 4);
}

Test(parquet_values, joins_runs_of_levels)
{
	struct parquet_runs runs = {.out = &out};

	parquet_runs_add(&runs, 0, 1);
	parquet_runs_add(&runs, 1, 0);
	parquet_runs_add(&runs, 0, 1);
	parquet_runs_add(&runs, 1, 2);
	parquet_runs_end(&runs);
	expect("\x04\0\x04\1", 4);
}
