// SPDX-License-Identifier: Apache-2.0
#include "reader/encoding/gzip_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/scratch.h"

#define MOST (8u << 20)

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

TestSuite(gzip_file, .init = init, .fini = fini);

/* Text with much that repeats, also over the ends of blocks. */
static size_t make_text(uint8_t *text, size_t most)
{
	size_t len = 0;

	srand(1);
	while (len + 32 < most)
		len += (size_t)sprintf((char *)text + len, "%d,%d,", rand() % 1000,
				       rand() % 7 ? 42 : rand());
	return len;
}

/* In blocks of these sizes, one after the other. Returns the bytes of the file. */
static size_t write_file(const uint8_t *text, size_t len, const size_t *sizes, size_t nr_sizes,
			 unsigned int nr_workers, uint8_t *ret)
{
	struct result_file to = RESULT_FILE_NONE;
	struct ts_bytes block = {0};
	struct gzip_file g = {0};
	FILE *file;

	cr_assert_eq(result_file_open(&to, path, true, &err), 0, "%s", err.text);
	cr_assert_eq(gzip_file_open(&g, &to, &progress, nr_workers, &err), 0);
	for (size_t at = 0, i = 0; at < len; i++) {
		size_t bytes = sizes[i % nr_sizes] < len - at ? sizes[i % nr_sizes] : len - at;

		ts_bytes_put(&block, text + at, bytes);
		cr_assert_eq(gzip_file_write(&g, &block, &err), 0, "%s", err.text);
		cr_assert_eq(block.len, 0);
		at += bytes;
	}
	cr_assert_eq(gzip_file_close(&g, &err), 0, "%s", err.text);
	gzip_file_release(&g);
	gzip_file_release(&g);
	ts_bytes_release(&block);
	cr_assert_eq(result_file_publish(&to, &err), 0, "%s", err.text);
	result_file_release(&to);
	file = fopen(path, "r");
	cr_assert_not_null(file);
	len = fread(ret, 1, MOST, file);
	fclose(file);
	return len;
}

/* By zlib's own reader of gzip: one member, with its checksum and length, and nothing behind it. */
static void expect_text(uint8_t *packed, size_t packed_len, const uint8_t *text, size_t len)
{
	uint8_t *back = malloc(len + 1);
	z_stream z = {.next_in = packed, .avail_in = (uInt)packed_len};

	cr_assert_eq(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = back;
	z.avail_out = (uInt)len + 1;
	cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	cr_expect_eq(z.total_out, len);
	cr_expect_eq(z.avail_in, 0);
	cr_expect(!memcmp(back, text, len));
	inflateEnd(&z);
	free(back);
}

Test(gzip_file, is_one_member_for_any_number_of_threads)
{
	static const size_t sizes[] = {1, 100000, 7, 300000, 40000, 32768};
	static uint8_t text[MOST], one[MOST], packed[MOST];
	const size_t len = make_text(text, MOST / 2);
	const size_t one_len = write_file(text, len, sizes, 6, 1, one);

	expect_text(one, one_len, text, len);
	for (unsigned int nr = 2; nr <= 40; nr = 2 * nr + 1) {
		const size_t packed_len = write_file(text, len, sizes, 6, nr, packed);

		cr_expect_eq(packed_len, one_len, "%u threads", nr);
		cr_expect(!memcmp(packed, one, one_len), "%u threads", nr);
	}
	cr_expect_lt(one_len, len / 2);
}

Test(gzip_file, may_be_empty)
{
	static uint8_t packed[MOST];
	const size_t size = 1;

	expect_text(packed, write_file(packed, 0, &size, 1, 3, packed), packed, 0);
}

/* A block after another costs little, because its dictionary is the one before. */
Test(gzip_file, uses_what_stood_before)
{
	static uint8_t text[200000], packed[MOST];
	const size_t small = 5000, large = sizeof(text);
	const size_t len = make_text(text, sizeof(text));
	const size_t cut = write_file(text, len, &small, 1, 2, packed);
	const size_t whole = write_file(text, len, &large, 1, 2, packed);

	cr_expect_lt(cut, whole + whole / 10, "%zu and %zu bytes", cut, whole);
}

Test(gzip_file, tells_that_a_block_failed)
{
	struct result_file to = RESULT_FILE_NONE;
	struct ts_bytes block = {.failed = true};
	struct gzip_file g = {0};

	cr_assert_eq(result_file_open(&to, path, true, &err), 0);
	cr_assert_eq(gzip_file_open(&g, &to, &progress, 2, &err), 0);
	cr_expect_neq(gzip_file_write(&g, &block, &err), 0);
	cr_expect_not_null(strstr(err.text, "cannot compress"));
	gzip_file_release(&g);
	result_file_release(&to);
}
