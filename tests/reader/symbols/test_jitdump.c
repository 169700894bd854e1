// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/jitdump.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/bytes.h"
#include "reader/objects/untrusted_file.h"

static char path[] = "/tmp/tstream-jitdump-XXXXXX";
static struct ts_bytes file;

static void put_header(uint64_t flags)
{
	ts_bytes_u32(&file, 0x4a695444);
	ts_bytes_u32(&file, 1);
	ts_bytes_u32(&file, 40);
	ts_bytes_zero(&file, 8);
	ts_bytes_u32(&file, 7);
	ts_bytes_u64(&file, 0);
	ts_bytes_u64(&file, flags);
}

static void put_prefix(uint32_t id, uint32_t bytes, uint64_t time_ns)
{
	ts_bytes_u32(&file, id);
	ts_bytes_u32(&file, bytes);
	ts_bytes_u64(&file, time_ns);
}

/* Writes code of `bytes`, in a record that claims `record_bytes`. */
static void put_load_of(uint32_t record_bytes, const char *name, uint64_t address, uint64_t bytes)
{
	put_prefix(0, record_bytes, 100);
	ts_bytes_zero(&file, 16);
	ts_bytes_u64(&file, address);
	ts_bytes_u64(&file, bytes);
	ts_bytes_u64(&file, 5);
	ts_bytes_put(&file, name, strlen(name) + 1);
}

static void put_load(const char *name, uint64_t address, uint32_t bytes)
{
	put_load_of(56 + (uint32_t)strlen(name) + 1 + bytes, name, address, bytes);
	ts_bytes_zero(&file, bytes);
}

static void put_move(uint64_t to, uint64_t bytes)
{
	put_prefix(1, 64, 200);
	ts_bytes_zero(&file, 24);
	ts_bytes_u64(&file, to);
	ts_bytes_u64(&file, bytes);
	ts_bytes_u64(&file, 5);
}

static int open_file(struct jitdump *d, size_t len)
{
	struct ts_error err;
	int fd;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	cr_assert(fd >= 0 && write(fd, file.data, len) == (ssize_t)len);
	close(fd);
	return jitdump_open(d, path, UNTRUSTED_FILE_ANYBODY, HARMLESS_OWN, &err);
}

static size_t count(size_t len)
{
	struct jitdump_record record;
	struct jitdump d;
	size_t nr = 0;

	if (!open_file(&d, len))
		while (jitdump_next(&d, &record))
			nr++;
	jitdump_close(&d);
	unlink(path);
	return nr;
}

static void end(void)
{
	unlink(path);
	ts_bytes_release(&file);
	file = (struct ts_bytes){0};
}

Test(jitdump, is_known_by_its_name)
{
	cr_expect(jitdump_is_name("/tmp/jit-4711.dump"));
	cr_expect_not(jitdump_is_name("/tmp/jit-.dump"));
	cr_expect_not(jitdump_is_name("/tmp/jit-47x.dump"));
	cr_expect_not(jitdump_is_name("/tmp/jit-4711.dump2"));
	cr_expect_not(jitdump_is_name("/tmp/ajit-4711.dump"));
	cr_expect_not(jitdump_is_name("jit-4711.dump"));
}

Test(jitdump, tells_where_code_was_and_where_it_stands, .fini = end)
{
	struct jitdump_record record;
	struct symbol_table table;
	struct ts_error err;
	struct jitdump d;

	put_header(0);
	put_load("first", 0x1000, 32);
	put_prefix(2, 16, 0); /* lines, which are passed over */
	put_move(0x2000, 32);
	put_load("second", 0x3000, 8);
	put_prefix(3, 16, 0);
	put_load("behind the end", 0x4000, 8);
	cr_assert_eq(open_file(&d, file.len), 0);
	cr_assert(jitdump_next(&d, &record));
	cr_expect(!record.is_move && record.time_ns == 100 && record.address == 0x1000);
	cr_expect_str_eq(record.name, "first");
	cr_expect_eq(record.offset, 40 + 56 + sizeof("first"));
	cr_expect_eq(record.bytes, 32);
	cr_assert(jitdump_next(&d, &record));
	cr_expect(record.is_move && record.time_ns == 200 && record.address == 0x2000);
	cr_expect_eq(record.index, 5);
	cr_assert(jitdump_next(&d, &record));
	cr_expect_str_eq(record.name, "second");
	cr_assert_not(jitdump_next(&d, &record));
	jitdump_close(&d);

	symbol_table_init(&table);
	cr_assert_eq(jitdump_load(&table, path, HARMLESS_OWN, &err), 0, "%s", err.text);
	cr_assert_eq(table.nr, 2);
	cr_expect_str_eq(symbol_table_find(&table, 40 + 56 + sizeof("first") + 31)->name, "first");
	cr_expect_null(symbol_table_find(&table, 40 + 56 + sizeof("first") + 32));
	symbol_table_release(&table);
}

Test(jitdump, ends_where_it_is_not_whole, .fini = end)
{
	size_t two;

	put_header(0);
	put_load("first", 0x1000, 32);
	two = file.len;
	put_load("second", 0x3000, 8);
	for (size_t len = 0; len <= file.len; len++)
		cr_assert_eq(count(len), len < two ? 0 : len < file.len ? 1 : 2, "%zu", len);
}

Test(jitdump, refuses_what_its_numbers_cannot_be, .fini = end)
{
	static const struct {
		uint32_t record_bytes;
		uint64_t address, bytes;
	} bad[] = {
		{15, 0x1000, 8},     {0, 0x1000, 8}, {60, 0x1000, 4},	      {58, 0x1000, 8},
		{70, 0x1000, ~0ull}, {70, ~0ull, 8}, {0xffffffff, 0x1000, 8},
	};
	struct jitdump d;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_header(0);
		put_load_of(bad[i].record_bytes, "abc", bad[i].address, bad[i].bytes);
		ts_bytes_zero(&file, 16);
		cr_expect_eq(count(file.len), 0, "%zu", i);
		end();
	}
	put_header(1);
	cr_expect_lt(open_file(&d, file.len), 0, "times of a CPU's counter");
	end();
	ts_bytes_u32(&file, 0x4454694a);
	ts_bytes_zero(&file, 60);
	cr_expect_lt(open_file(&d, file.len), 0, "the other byte order");
}
