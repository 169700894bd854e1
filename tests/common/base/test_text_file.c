// SPDX-License-Identifier: Apache-2.0
#include "common/base/text_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A path that reads as `text`; the descriptor stays open until the test ends. */
static const char *file_of(const void *text, size_t len)
{
	static char path[64];
	int fd = memfd_create("lines", 0);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static void expect_line(struct ts_text_file *l, const char *expected)
{
	const char *line;
	size_t len;

	cr_assert_eq(ts_text_file_next(l, &line, &len), 1);
	cr_assert_eq(len, strlen(expected));
	cr_assert_eq(memcmp(line, expected, len), 0);
}

Test(lines, returns_empty_lines_and_one_without_newline_at_the_end)
{
	struct ts_text_file *l = malloc(sizeof(*l));
	const char *line;
	size_t len;

	cr_assert_eq(ts_text_file_open(l, AT_FDCWD, file_of("a\n\nlast", 7)), 0);
	expect_line(l, "a");
	expect_line(l, "");
	expect_line(l, "last");
	cr_assert_eq(ts_text_file_next(l, &line, &len), 0);
	ts_text_file_close(l);
	free(l);
}

Test(lines, finds_lines_across_the_ends_of_its_buffer)
{
	enum { COUNT = 20000 };
	struct ts_text_file *l = malloc(sizeof(*l));
	char *text = malloc(COUNT * 12), expected[16];
	size_t at = 0;

	for (int i = 0; i < COUNT; i++)
		at += (size_t)sprintf(text + at, "line %d\n", i);
	cr_assert_eq(ts_text_file_open(l, AT_FDCWD, file_of(text, at)), 0);
	for (int i = 0; i < COUNT; i++) {
		sprintf(expected, "line %d", i);
		expect_line(l, expected);
	}
	ts_text_file_close(l);
	free(l);
	free(text);
}

Test(lines, cuts_a_line_that_no_buffer_holds)
{
	struct ts_text_file *l = malloc(sizeof(*l));
	size_t size = TS_TEXT_FILE_BUFFER_BYTES + 100, len;
	char *text = malloc(size);
	const char *line;

	memset(text, 'x', size);
	cr_assert_eq(ts_text_file_open(l, AT_FDCWD, file_of(text, size)), 0);
	cr_assert_eq(ts_text_file_next(l, &line, &len), 1);
	cr_assert_eq(len, TS_TEXT_FILE_BUFFER_BYTES);
	cr_assert_eq(ts_text_file_next(l, &line, &len), 1);
	cr_assert_eq(len, 100);
	cr_assert_eq(ts_text_file_next(l, &line, &len), 0);
	ts_text_file_close(l);
	free(l);
	free(text);
}

Test(lines, reads_a_whole_file_beyond_one_page)
{
	struct ts_bytes text = {0};
	char *long_text = malloc(10000);

	memset(long_text, 'y', 10000);
	cr_assert_eq(ts_text_file_read_all(&text, AT_FDCWD, file_of(long_text, 10000)), 0);
	cr_assert_eq(text.len, 10000);
	cr_assert_eq(text.data[10000], '\0');
	cr_assert_eq(ts_text_file_read_all(&text, AT_FDCWD, "/nonexistent"), -ENOENT);
	ts_bytes_release(&text);
	free(long_text);
}

Test(lines, reads_numbers_and_refuses_what_is_none)
{
	uint64_t v = 7;

	cr_assert_eq(ts_text_file_read_u64(&v, AT_FDCWD, file_of("42\n", 3)), 0);
	cr_assert_eq(v, 42);
	cr_assert_eq(ts_text_file_read_u64(&v, AT_FDCWD, file_of("0x10", 4)), 0);
	cr_assert_eq(v, 16);
	cr_assert_eq(ts_text_file_read_u64(&v, AT_FDCWD, file_of("12 kB\n", 6)), -EINVAL);
	cr_assert_eq(ts_text_file_read_u64(&v, AT_FDCWD, file_of("\n", 1)), -EINVAL);
	cr_assert_eq(v, 16);
}

Test(lines, read_a_signed_number)
{
	int64_t v = 7;

	cr_assert_eq(ts_text_file_read_i64(&v, AT_FDCWD, file_of("-1\n", 3)), 0);
	cr_assert_eq(v, -1);
	cr_assert_eq(ts_text_file_read_i64(&v, AT_FDCWD, file_of("-\n", 2)), -EINVAL);
	cr_assert_eq(v, -1);
}
