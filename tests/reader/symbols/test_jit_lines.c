// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/jit_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/bytes.h"

#define ADDRESS 0x7f0000001000
#define BYTES	64u /* of code */

static char path[] = "/tmp/tstream-jit-lines-XXXXXX";
static struct ts_bytes file, entries;
static struct jit_lines *lines;

static void put_header(void)
{
	ts_bytes_u32(&file, 0x4a695444);
	ts_bytes_u32(&file, 1);
	ts_bytes_u32(&file, 40);
	ts_bytes_zero(&file, 28);
}

static void put_prefix(uint32_t id, uint32_t bytes)
{
	ts_bytes_u32(&file, id);
	ts_bytes_u32(&file, bytes);
	ts_bytes_u64(&file, 100);
}

static void entry(uint64_t offset, uint32_t number, const char *name)
{
	ts_bytes_u64(&entries, ADDRESS + offset);
	ts_bytes_u32(&entries, number);
	ts_bytes_u32(&entries, 0);
	ts_bytes_put(&entries, name, strlen(name) + 1);
}

/* Writes the entries, all but the last `cut` bytes. */
static void put_lines(size_t cut)
{
	put_prefix(2, 32 + (uint32_t)(entries.len - cut));
	ts_bytes_u64(&file, ADDRESS);
	ts_bytes_u64(&file, 1000); /* the reader does not trust this number */
	ts_bytes_put(&file, entries.data, entries.len - cut);
	ts_bytes_clear(&entries);
}

/* Returns the offset of the code in the file. */
static uint64_t put_code(void)
{
	put_prefix(0, 56 + 2 + BYTES);
	ts_bytes_zero(&file, 16);
	ts_bytes_u64(&file, ADDRESS);
	ts_bytes_u64(&file, BYTES);
	ts_bytes_u64(&file, 1);
	ts_bytes_put(&file, "f", 2);
	ts_bytes_zero(&file, BYTES);
	return file.len - BYTES;
}

static void open_lines(void)
{
	int fd, fault = 0;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	cr_assert(fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len);
	close(fd);
	lines = jit_lines_open(path, HARMLESS_OWN, &fault);
	cr_assert_eq(fault, 0);
}

static void fini(void)
{
	unlink(path);
	jit_lines_close(lines);
	ts_bytes_release(&file);
	ts_bytes_release(&entries);
}

static void expect(uint64_t offset, const char *name, int number)
{
	const struct srcline_place *place = jit_lines_find(lines, offset);

	cr_assert_not_null(place, "%lu", offset);
	cr_expect_eq(place->nr, 1);
	cr_expect_str_eq(place->frames[0].file, name);
	cr_expect_eq(place->frames[0].line, number);
}

TestSuite(jit_lines, .fini = fini);

Test(jit_lines, hold_from_their_address_to_the_next_one_of_the_code)
{
	uint64_t first, second;

	put_header();
	entry(8, 20, "b.c");
	entry(4, 10, "a.c");
	entry(16, 21, "b.c");
	entry(16, 22, "\xff"); /* of the last file; the last line of an address counts */
	entry(BYTES, 99, "b.c");
	entry(BYTES + 5, 99, "b.c");
	put_lines(0);
	first = put_code();
	second = put_code();
	open_lines();
	cr_assert_not_null(lines);
	cr_expect_null(jit_lines_find(lines, first + 3));
	expect(first + 4, "a.c", 10);
	expect(first + 7, "a.c", 10);
	expect(first + 8, "b.c", 20);
	expect(first + 16, "b.c", 22);
	expect(first + BYTES - 1, "b.c", 22);
	cr_expect_null(jit_lines_find(lines, first + BYTES));
	cr_expect_null(jit_lines_find(lines, second),
		       "they are of the code that comes next, and no other");
	cr_expect_null(jit_lines_find(lines, UINT64_MAX));
}

Test(jit_lines, end_where_an_entry_is_not_whole)
{
	uint64_t code;

	put_header();
	entry(0, 10, "a.c");
	entry(8, 20, "b.c");
	put_lines(1);
	code = put_code();
	open_lines();
	cr_assert_not_null(lines);
	expect(code + 10, "a.c", 10);
}

Test(jit_lines, a_file_of_the_line_before_the_first_is_none)
{
	put_header();
	entry(0, 10, "\xff");
	put_lines(0);
	put_code();
	open_lines();
	cr_expect_null(lines);
}

Test(jit_lines, are_none_in_a_file_that_tells_none)
{
	put_header();
	put_code();
	open_lines();
	cr_expect_null(lines);
}
