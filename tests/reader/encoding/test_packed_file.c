// SPDX-License-Identifier: Apache-2.0
#include "reader/encoding/packed_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reader/packed/pprof.pb-c.h"
#include "tests/support/scratch.h"

#define MOST (2u << 20)

static struct scratch scratch;
static char path[512];
static struct progress progress;
static struct result_file to = RESULT_FILE_NONE;
static struct packed_file file;
static uint8_t got[MOST];
static struct ts_error err;

static void init(void)
{
	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/out", scratch.path);
	cr_assert_eq(progress_init(&progress, &err), 0);
	cr_assert_eq(result_file_open(&to, path, true, &err), 0, "%s", err.text);
	file = (struct packed_file){.to = &to, .progress = &progress};
}

static void fini(void)
{
	packed_file_release(&file);
	packed_file_release(&file);
	result_file_release(&to);
	progress_release(&progress);
	scratch_remove(&scratch);
}

TestSuite(packed_file, .init = init, .fini = fini);

/* Closes the file. Returns its bytes, in got[]. */
static size_t bytes_of_file(void)
{
	FILE *f;
	size_t nr;

	cr_assert_eq(packed_file_close(&file, &err), 0);
	cr_assert_eq(result_file_publish(&to, &err), 0, "%s", err.text);
	f = fopen(path, "r");
	cr_assert_not_null(f);
	nr = fread(got, 1, MOST, f);
	fclose(f);
	return nr;
}

static int put_text(char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;

	part.n_string_table = 1;
	part.string_table = &text;
	return packed_file_put_parts(&file, &part.base, &err);
}

Test(packed_file, writes_messages_as_fields_of_one)
{
	static const uint8_t wanted[] = {0x2a, 4, 8, 1, 16, 9, 0x2a, 5, 8, 0x80, 2, 16, 9};
	Pprof__Function function = PPROF__FUNCTION__INIT;

	function.id = 1;
	function.name = 9;
	cr_assert_eq(packed_file_put(&file, 5, &function.base, &err), 0);
	function.id = 256;
	cr_assert_eq(packed_file_put(&file, 5, &function.base, &err), 0);
	cr_assert_eq(bytes_of_file(), sizeof(wanted));
	cr_expect_arr_eq(got, wanted, sizeof(wanted));
}

Test(packed_file, a_head_and_parts_are_one_message)
{
	Pprof__Function function = PPROF__FUNCTION__INIT;
	Pprof__Profile *all;

	function.id = 12345;
	cr_assert_eq(packed_file_put_head(&file, 5,
					  protobuf_c_message_get_packed_size(&function.base) + 2,
					  &err),
		     0);
	cr_assert_eq(packed_file_put_parts(&file, &function.base, &err), 0);
	function = (Pprof__Function)PPROF__FUNCTION__INIT;
	function.name = 7;
	cr_assert_eq(packed_file_put_parts(&file, &function.base, &err), 0);
	all = pprof__profile__unpack(NULL, bytes_of_file(), got);
	cr_assert_not_null(all);
	cr_assert_eq(all->n_function, 1);
	cr_expect_eq(all->function[0]->id, 12345);
	cr_expect_eq(all->function[0]->name, 7);
	pprof__profile__free_unpacked(all, NULL);
}

Test(packed_file, tells_the_bytes_of_a_field)
{
	Pprof__Function function = PPROF__FUNCTION__INIT;
	uint64_t wanted = 0;

	for (uint32_t field = 1; field < 5000; field = field * 3 + 1, function.id += 1000) {
		wanted += packed_field_bytes(field,
					     protobuf_c_message_get_packed_size(&function.base));
		cr_assert_eq(packed_file_put(&file, field, &function.base, &err), 0);
	}
	cr_expect_eq(bytes_of_file(), wanted);
	cr_expect_eq(packed_field_bytes(1, 127), 129);
	cr_expect_eq(packed_field_bytes(1, 128), 131);
	cr_expect_eq(packed_field_bytes(16, 0), 3);
	cr_expect_eq(packed_field_bytes(1, UINT64_MAX - 100), UINT64_MAX - 100 + 11);
}

Test(packed_file, more_than_a_block_is_complete)
{
	static char text[1000];
	Pprof__Profile *all;

	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(put_text(text), 0);
	cr_expect_lt(file.block.len, 300u << 10);
	all = pprof__profile__unpack(NULL, bytes_of_file(), got);
	cr_assert_not_null(all);
	cr_assert_eq(all->n_string_table, 1000);
	for (size_t i = 0; i < all->n_string_table; i++)
		cr_expect_str_eq(all->string_table[i], text);
	pprof__profile__free_unpacked(all, NULL);
}

Test(packed_file, stops_when_it_is_told_to)
{
	static char text[1000];
	int rc = 0;

	memset(text, 'x', sizeof(text) - 1);
	ts_stop_raise(&progress.stop);
	for (int i = 0; !rc && i < 1000; i++)
		rc = put_text(text);
	cr_expect_eq(rc, -EINTR);
}

Test(packed_file, a_field_beyond_the_most_bytes_is_refused_before_it_is_written)
{
	static char text[100000];

	memset(text, 'x', sizeof(text) - 1);
	file.most_bytes = 1000000;
	for (int i = 0; i < 9; i++)
		cr_assert_eq(put_text(text), 0);
	cr_expect_eq(packed_file_put_head(&file, 1, 100000, &err), -EFBIG);
	cr_expect(strstr(err.text, "more than 1000000 bytes"), "%s", err.text);
	cr_expect_eq(packed_file_put_head(&file, 1, 90000, &err), 0);
}

Test(packed_file, without_fields_the_file_is_empty)
{
	cr_expect_eq(bytes_of_file(), 0);
}
