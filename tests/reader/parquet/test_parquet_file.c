// SPDX-License-Identifier: Apache-2.0
#include "reader/parquet/parquet_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "tests/support/scratch.h"

#define MOST  (8u << 20)
#define ROWS  1000u
#define TEXTS 5u

static struct scratch scratch;
static char path[512];
static struct progress progress;
static struct ts_error err;

static void init(void)
{
	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/out", scratch.path);
	cr_assert_eq(progress_init(&progress, &err), 0);
}

static void fini(void)
{
	progress_release(&progress);
	scratch_remove(&scratch);
}

TestSuite(parquet_file, .init = init, .fini = fini);

static uint64_t number_of(const void *table, uint32_t row, uint32_t i)
{
	(void)i;
	return *(const uint64_t *)table + row * 7ull;
}

static uint32_t length_of(const void *table, uint32_t row)
{
	(void)table;
	return row % 4; /* also none */
}

static uint64_t entry_of(const void *table, uint32_t row, uint32_t i)
{
	(void)table;
	return (row + i) % TEXTS;
}

static uint32_t nr_entries(const void *table)
{
	(void)table;
	return TEXTS;
}

static const char *text_of(const void *table, uint32_t entry)
{
	static const char *const texts[TEXTS] = {"", "a", "bb", "a longer text", "ü"};

	(void)table;
	return texts[entry];
}

#define TEXT                                                                                       \
	.type = PARQUET_TEXT, .form = PARQUET_ENTRIES, .value = entry_of,                          \
	.nr_entries = nr_entries, .text = text_of

static const struct parquet_column columns[] = {
	{.name = "plain", .type = PARQUET_U64, .form = PARQUET_PLAIN, .value = number_of},
	{.name = "near", .type = PARQUET_U32, .form = PARQUET_DIFFERENCES, .value = number_of},
	{.name = "text", TEXT},
	{.name = "list", TEXT, .length = length_of},
};

static const struct parquet_note note = {"key", "value"};

/* Two groups. Returns the bytes of the file. */
static size_t write_file(unsigned int nr_workers, uint8_t *ret)
{
	struct result_file to = RESULT_FILE_NONE;
	uint64_t first = 3;
	const struct parquet_table table = {"table", columns, 4, &first};
	struct parquet_file f = {0};
	FILE *file;
	size_t len;

	cr_assert_eq(result_file_open(&to, path, true, &err), 0, "%s", err.text);
	cr_assert_eq(parquet_file_open(&f, &to, &table, NULL, &progress, nr_workers, &err), 0);
	cr_assert_eq(parquet_file_put(&f, ROWS, &err), 0, "%s", err.text);
	first = 1ull << 40;
	cr_assert_eq(parquet_file_put(&f, 1, &err), 0, "%s", err.text);
	cr_assert_eq(parquet_file_close(&f, &note, 1, &err), 0, "%s", err.text);
	parquet_file_release(&f);
	parquet_file_release(&f);
	cr_assert_eq(result_file_publish(&to, &err), 0, "%s", err.text);
	result_file_release(&to);
	file = fopen(path, "r");
	cr_assert_not_null(file);
	len = fread(ret, 1, MOST, file);
	fclose(file);
	return len;
}

Test(parquet_file, is_the_same_for_any_number_of_threads)
{
	static uint8_t one[MOST], more[MOST];
	const size_t len = write_file(1, one);

	for (unsigned int nr = 2; nr <= 40; nr = 2 * nr + 1) {
		cr_expect_eq(write_file(nr, more), len, "%u threads", nr);
		cr_expect(!memcmp(one, more, len), "%u threads", nr);
	}
}

Test(parquet_file, ends_with_a_footer_and_its_bytes)
{
	static uint8_t bytes[MOST];
	const size_t len = write_file(2, bytes);
	uint32_t footer;

	cr_assert_gt(len, 12);
	memcpy(&footer, bytes + len - 8, sizeof(footer));
	cr_expect(!memcmp(bytes, "PAR1", 4) && !memcmp(bytes + len - 4, "PAR1", 4));
	cr_assert_lt(footer, len - 12);
	cr_expect_not_null(memmem(bytes + len - 8 - footer, footer, "\3key\x18\5value", 11));
	cr_expect_not_null(memmem(bytes + len - 8 - footer, footer, "tstream version ", 16));
}

/* The first page: behind the header of the first chunk. */
Test(parquet_file, has_plain_numbers_in_a_page_of_zstd)
{
	static uint8_t bytes[MOST];
	const size_t len = write_file(2, bytes);
	const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	const uint8_t *page = memmem(bytes, len, magic, sizeof(magic));
	uint64_t numbers[ROWS];

	cr_assert_not_null(page);
	cr_assert_eq(ZSTD_decompress(numbers, sizeof(numbers), page,
				     ZSTD_findFrameCompressedSize(page, len - 12)),
		     sizeof(numbers));
	for (uint32_t i = 0; i < ROWS; i++)
		cr_expect_eq(numbers[i], 3 + 7ull * i);
}

Test(parquet_file, stops)
{
	struct result_file to = RESULT_FILE_NONE;
	const uint64_t first = 3;
	const struct parquet_table table = {"table", columns, 4, &first};
	struct parquet_file f = {0};

	cr_assert_eq(result_file_open(&to, path, true, &err), 0);
	cr_assert_eq(parquet_file_open(&f, &to, &table, NULL, &progress, 2, &err), 0);
	ts_stop_raise(&progress.stop);
	cr_expect_eq(parquet_file_put(&f, ROWS, &err), -EINTR);
	parquet_file_release(&f);
	result_file_release(&to);
}

static uint32_t far_too_long(const void *table, uint32_t row)
{
	(void)table;
	(void)row;
	return 1u << 31;
}

Test(parquet_file, tells_that_a_group_is_too_large)
{
	struct result_file to = RESULT_FILE_NONE;
	const struct parquet_column column = {.name = "list", TEXT, .length = far_too_long};
	const struct parquet_table table = {"table", &column, 1, NULL};
	struct parquet_file f = {0};

	cr_assert_eq(result_file_open(&to, path, true, &err), 0);
	cr_assert_eq(parquet_file_open(&f, &to, &table, NULL, &progress, 2, &err), 0);
	cr_expect_eq(parquet_file_put(&f, 2, &err), -EFBIG);
	cr_expect_not_null(strstr(err.text, "2 GB"), "%s", err.text);
	parquet_file_release(&f);
	result_file_release(&to);
}
