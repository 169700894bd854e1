// SPDX-License-Identifier: Apache-2.0
#include "reader/archive/elf_slim.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/cfi/unwind_module.h"
#include "reader/objects/srcline.h"
#include "reader/symbols/symbol_elf.h"

#define SELF "/proc/self/exe"

static const struct symbol_search no_search;
static char slim_path[] = "/tmp/tstream-slim-XXXXXX";

static void open_elf(struct elf_file *f, const char *path)
{
	struct ts_error err;

	cr_assert_eq(elf_file_open(f, path, HARMLESS_OWN, &err), 0, "%s", err.text);
}

/* Slims `path` into a file that end() removes. */
static void begin(const char *path, bool with_lines)
{
	int fd = mkstemp(slim_path);
	struct elf_file from;
	struct ts_error err;

	cr_assert_geq(fd, 0);
	open_elf(&from, path);
	cr_assert_eq(elf_slim(&from, with_lines, fd, slim_path, &err), 0, "%s", err.text);
	elf_file_close(&from);
	close(fd);
}

static void end(void)
{
	unlink(slim_path);
}

static long bytes_of(const char *path)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0);
	return (long)st.st_size;
}

static void read_symbols(struct symbol_table *t, const struct elf_file *f)
{
	struct ts_error err;

	symbol_table_init(t);
	cr_assert_eq(symbol_elf_load(t, f, "file", &no_search, &err), 0, "%s", err.text);
}

Test(elf_slim, has_the_symbols_and_the_build_id_in_a_part_of_the_bytes, .fini = end)
{
	struct elf_file whole, slim;
	struct ts_build_id ids[2];
	struct symbol_table a, b;

	begin(SELF, false);
	open_elf(&whole, SELF);
	open_elf(&slim, slim_path);
	ids[0] = whole.build_id;
	ids[1] = slim.build_id;
	cr_assert(ids[0].len && ts_build_id_equal(&ids[0], &ids[1]));
	read_symbols(&a, &whole);
	read_symbols(&b, &slim);
	cr_assert_gt(a.nr, 50);
	cr_assert_eq(a.nr, b.nr);
	for (size_t i = 0; i < a.nr; i++) {
		cr_expect_eq(a.items[i].sym.start, b.items[i].sym.start);
		cr_expect_eq(a.items[i].sym.end, b.items[i].sym.end);
		cr_expect_str_eq(symbol_table_find(&a, a.items[i].sym.start)->name,
				 symbol_table_find(&b, a.items[i].sym.start)->name);
	}
	cr_expect_lt(bytes_of(slim_path), bytes_of(SELF) / 3);
	symbol_table_release(&a);
	symbol_table_release(&b);
	elf_file_close(&whole);
	elf_file_close(&slim);
}

Test(elf_slim, is_unwound_through_as_the_whole_file, .fini = end)
{
	struct unwind_module a = {0}, b = {0};
	struct elf_file whole, slim;
	size_t nr_known = 0;

	begin(SELF, false);
	open_elf(&whole, SELF);
	open_elf(&slim, slim_path);
	unwind_module_load(&a, &whole);
	unwind_module_load(&b, &slim);
	for (uint64_t at = 0; at < (uint64_t)bytes_of(SELF); at += 5) {
		const struct unwind_rule *rule = unwind_module_find(&a, at);

		nr_known += rule->how == UNWIND_STEP;
		cr_assert(!memcmp(rule, unwind_module_find(&b, at), sizeof(*rule)), "0x%lx", at);
	}
#ifdef __x86_64__
	cr_expect_gt(nr_known, 100);
#endif
	unwind_module_release(&a);
	unwind_module_release(&b);
	elf_file_close(&whole);
	elf_file_close(&slim);
}

static struct srcline *open_lines(const char *path)
{
	struct srcline_files files = {.debug.fd = -1, .other.fd = -1};
	struct ts_error err;

	open_elf(&files.object, path);
	return srcline_open(&files, &err);
}

Test(elf_slim, has_lines_only_where_they_are_wanted, .fini = end)
{
	struct srcline *whole = open_lines(SELF), *slim;
	size_t nr_known = 0;

	begin(SELF, true);
	slim = open_lines(slim_path);
	cr_assert(whole && slim);
	for (uint64_t at = 0; at < (uint64_t)bytes_of(SELF); at += 997) {
		const struct srcline_place *a = srcline_find(whole, at),
					   *b = srcline_find(slim, at);

		cr_assert_eq(a ? a->nr : 0, b ? b->nr : 0);
		if (!a || !a->nr)
			continue;
		nr_known++;
		cr_expect_eq(a->frames[0].line, b->frames[0].line);
		cr_expect_str_eq(a->frames[0].file, b->frames[0].file);
	}
	cr_expect_gt(nr_known, 10);
	srcline_close(slim);
	srcline_close(whole);
	unlink(slim_path);
	strcpy(slim_path + strlen(slim_path) - 6, "XXXXXX");
	begin(SELF, false);
	cr_expect_null(open_lines(slim_path));
}

/* Flips bytes of headers: any result but a crash, or a file longer than the first, is fine. */
Test(elf_slim, survives_damaged_files, .timeout = 60)
{
	char path[] = "/tmp/tstream-slim-in-XXXXXX", out_path[] = "/tmp/tstream-slim-out-XXXXXX";
	int self = open(SELF, O_RDONLY), in = mkstemp(path), out = mkstemp(out_path);
	const size_t len = (size_t)bytes_of(SELF);
	uint8_t *image = malloc(len);

	cr_assert(self >= 0 && in >= 0 && out >= 0 && image);
	cr_assert_eq(read(self, image, len), (ssize_t)len);
	srandom(1);
	for (int round = 0; round < 300; round++) {
		size_t at = round % 2 ? (size_t)random() % 64 : len - 1 - (size_t)random() % 4096;
		uint8_t saved = image[at];
		struct elf_file from;
		struct ts_error err;

		image[at] ^= (uint8_t)(1 + random() % 255);
		cr_assert_eq(pwrite(in, image, len, 0), (ssize_t)len);
		image[at] = saved;
		cr_assert_eq(ftruncate(out, 0), 0);
		if (elf_file_open(&from, path, HARMLESS_OWN, &err))
			continue;
		if (!elf_slim(&from, round % 3 == 0, out, out_path, &err))
			cr_expect_leq(bytes_of(out_path), (long)(len + len / 2));
		elf_file_close(&from);
	}
	free(image);
	unlink(path);
	unlink(out_path);
}
