// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than a block of the reader's, so lines are cut at its end. */
#define NR_LINES 60000

struct file { /* removed by read_file() */
	char path[32];
	FILE *text;
};

static struct file make_file(void)
{
	struct file f = {.path = "/tmp/tstream-symbols.XXXXXX"};

	f.text = fdopen(mkstemp(f.path), "w");
	cr_assert_not_null(f.text);
	return f;
}

static int read_file(struct symbol_table *t, struct file *f, struct ts_error *err)
{
	uint64_t reference;
	int rc;

	fclose(f->text);
	symbol_table_init(t);
	rc = symbol_text_kallsyms(t, f->path, HARMLESS_OWN, NULL, "_text", &reference, err);
	unlink(f->path);
	return rc;
}

static void expect_name(struct symbol_table *t, uint64_t addr, const char *name)
{
	const struct symbol *sym = symbol_table_find(t, addr);

	cr_assert_not_null(sym, "nothing at %" PRIx64, addr);
	cr_assert_str_eq(sym->name, name);
}

static uint64_t addr_of(int i)
{
	return 0xffffffff81000000ull + 16 * (uint64_t)i;
}

/* "a", "bb", "ccc", ...: the ends of lines move through the blocks. */
static void name_of(int i, char name[80])
{
	int len = snprintf(name, 80, "symbol_%d_", i);

	memset(name + len, 'a' + i % 26, (size_t)(i % 40));
	name[len + i % 40] = '\0';
}

static void expect_all(struct symbol_table *t)
{
	char name[80];

	cr_assert_eq(t->nr, NR_LINES);
	for (int i = 0; i < NR_LINES; i++) {
		name_of(i, name);
		expect_name(t, addr_of(i), name);
		expect_name(t, addr_of(i) + 15, name);
	}
}

static void put_line(struct file *f, int i)
{
	char name[80];

	name_of(i, name);
	fprintf(f->text, "%016" PRIx64 " t %s\n", addr_of(i), name);
}

Test(symbol_text, reads_kallsyms_of_several_blocks)
{
	struct file f = make_file();
	struct symbol_table t;
	struct ts_error err;

	for (int i = 0; i < NR_LINES; i++)
		put_line(&f, i);
	cr_assert_eq(read_file(&t, &f, &err), 0);
	expect_all(&t);
	symbol_table_release(&t);
}

Test(symbol_text, sorts_kallsyms_whose_end_is_out_of_order)
{
	struct file f = make_file();
	struct symbol_table t;
	struct ts_error err;

	for (int i = 0; i < NR_LINES; i++)
		if (i % 3)
			put_line(&f, i);
	for (int i = NR_LINES - 1; i >= 0; i--)
		if (i % 3 == 0)
			put_line(&f, i);
	cr_assert_eq(read_file(&t, &f, &err), 0);
	expect_all(&t);
	symbol_table_release(&t);
}

Test(symbol_text, reads_a_last_line_without_a_newline)
{
	struct file f = make_file();
	struct symbol_table t;
	struct ts_error err;

	fputs("ffffffff81000000 T _text\nffffffff81000100 T last\t[module]", f.text);
	cr_assert_eq(read_file(&t, &f, &err), 0);
	expect_name(&t, 0xffffffff81000000ull, "_text");
	expect_name(&t, 0xffffffff81000100ull, "last");
	symbol_table_release(&t);
}

/*
 * Makes pages that hold lines, and an unmapped page behind them. Returns a descriptor of
 * /proc/self/mem that stands at their beginning.
 */
static int open_text_that_fails(size_t bytes, const char *line)
{
	const size_t len = strlen(line);
	char *text =
		mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	cr_assert_neq((void *)text, MAP_FAILED);
	cr_assert_geq(fd, 0);
	for (size_t at = 0; at + len <= bytes; at += len)
		memcpy(text + at, line, len);
	cr_assert_eq(munmap(text + bytes, bytes), 0);
	cr_assert_eq(lseek(fd, (off_t)(uintptr_t)text, SEEK_SET), (off_t)(uintptr_t)text);
	return fd;
}

Test(symbol_text, leaves_no_symbols_of_kallsyms_that_cannot_be_read_to_the_end)
{
	int fd = open_text_that_fails(3 << 20, "ffffffff81000000 T symbol\n");
	struct symbol_table t;
	struct ts_error err;
	uint64_t reference;

	symbol_table_init(&t);
	cr_assert_eq(symbol_text_kallsyms_fd(&t, fd, "kallsyms", NULL, "", &reference, &err), -EIO);
	cr_assert_str_eq(err.text, "cannot read kallsyms: Input/output error");
	cr_assert_null(symbol_table_find(&t, 0xffffffff81000000ull));
	symbol_table_release(&t);
	close(fd);
}

Test(symbol_text, leaves_no_symbols_of_a_map_that_cannot_be_read_to_the_end)
{
	int fd = open_text_that_fails(3 << 20, "1000 10 symbol\n");
	struct symbol_table t;
	struct ts_error err;

	symbol_table_init(&t);
	cr_assert_eq(symbol_text_perf_map(&t, fd, "perf-1.map", NULL, &err), -EIO);
	cr_assert_null(symbol_table_find(&t, 0x1000));
	symbol_table_release(&t);
	close(fd);
}

Test(symbol_text, leaves_lines_out_that_are_too_long_and_not_what_is_around_them)
{
	static const size_t lengths[] = {65537, (1 << 20) - 20, (1 << 20) - 1, 1 << 20, 3 << 20};
	struct symbol_table t;
	struct ts_error err;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct file f = make_file();

		fputs("ffffffff81000000 T first\nffffffff81000100 T ", f.text);
		for (size_t n = 0; n < lengths[i]; n++)
			fputc('x', f.text);
		fputs(" ffffffff81000200 T inside\nffffffff81000300 T last\n", f.text);
		cr_assert_eq(read_file(&t, &f, &err), 0, "%s", err.text);
		cr_assert_eq(t.nr, 2);
		expect_name(&t, 0xffffffff81000000ull, "first");
		expect_name(&t, 0xffffffff81000300ull, "last");
		symbol_table_release(&t);
	}
}

Test(symbol_text, says_that_there_is_no_symbol)
{
	struct file f = make_file();
	struct symbol_table t;
	struct ts_error err;

	fputs("this is no file of symbols\n", f.text);
	cr_assert_eq(read_file(&t, &f, &err), -EINVAL);
	cr_assert(strstr(err.text, "there are none in it"));
	symbol_table_release(&t);
}

Test(symbol_text, ends_when_it_is_stopped)
{
	struct file f = make_file();
	struct symbol_table t;
	struct progress p;
	struct ts_error err;
	struct symbol_limits limits = {.progress = &p};
	uint64_t reference;

	put_line(&f, 1);
	fclose(f.text);
	cr_assert_eq(progress_init(&p, &err), 0);
	ts_stop_raise(&p.stop);
	symbol_table_init(&t);
	cr_assert_eq(symbol_text_kallsyms(&t, f.path, HARMLESS_OWN, &limits, "", &reference, &err),
		     -EINTR);
	cr_assert_eq(t.nr, 0);
	unlink(f.path);
	progress_release(&p);
}

Test(symbol_text, says_that_addresses_are_hidden)
{
	struct file f = make_file();
	struct symbol_table t;
	struct ts_error err;

	fputs("0000000000000000 T _text\n0000000000000000 T last\n", f.text);
	cr_assert_eq(read_file(&t, &f, &err), -EACCES);
	cr_assert(strstr(err.text, "hidden"));
	symbol_table_release(&t);
}

static void read_map(struct symbol_table *t, struct file *f)
{
	struct ts_error err;
	int fd;

	fclose(f->text);
	fd = open(f->path, O_RDONLY | O_CLOEXEC);
	symbol_table_init(t);
	cr_assert_eq(symbol_text_perf_map(t, fd, f->path, NULL, &err), 0, "%s", err.text);
	close(fd);
	unlink(f->path);
}

static void expect_nothing(struct symbol_table *t, uint64_t addr)
{
	cr_assert_null(symbol_table_find(t, addr), "%" PRIx64, addr);
}

Test(symbol_text, takes_the_last_line_of_a_map_for_an_address)
{
	struct file f = make_file();
	struct symbol_table t;

	fputs("1000 8 old_with_a_longer_name\n1000 8 new\n"
	      "2000 40 wide\n2000 8 first_part\n2010 8 inside\n"
	      "3000 8 under\n2fc0 80 over\n"
	      "4000 0 open\n4000 8 closed\n5000 8 end\n"
	      "ffffffffffffff00 0 last\n",
	      f.text);
	read_map(&t, &f);
	expect_name(&t, 0x1000, "new");
	expect_nothing(&t, 0x1008);
	expect_name(&t, 0x2007, "first_part");
	expect_name(&t, 0x2008, "wide");
	expect_name(&t, 0x2010, "inside");
	expect_name(&t, 0x203f, "wide");
	cr_assert_eq(symbol_table_find(&t, 0x203f)->start, 0x2000, "the whole symbol is found");
	expect_nothing(&t, 0x2040);
	expect_name(&t, 0x3000, "over");
	expect_name(&t, 0x4007, "closed");
	expect_name(&t, 0x4008, "open");
	expect_name(&t, 0x5000, "end");
	expect_nothing(&t, 0x5008);
	expect_name(&t, 0xffffffffffffff00, "last");
	symbol_table_release(&t);
}

Test(symbol_text, finds_in_a_map_what_the_last_line_says_for_each_address)
{
	static uint32_t last[2000]; /* number of the last line; 0: none */
	struct file f = make_file();
	struct symbol_table t;
	char name[16];
	uint64_t v = 1;

	for (uint32_t i = 1; i <= 500; i++) {
		uint32_t start, size;

		v = v * 6364136223846793005ULL + 1442695040888963407ULL;
		start = (uint32_t)(v >> 33) % 1900;
		size = 1 + (uint32_t)(v >> 50) % 60;
		fprintf(f.text, "%x %x f%u\n", start, size, i);
		for (uint32_t at = start; at < start + size; at++)
			last[at] = i;
	}
	read_map(&t, &f);
	for (uint32_t at = 0; at < 2000; at++) {
		snprintf(name, sizeof(name), "f%u", last[at]);
		if (last[at])
			expect_name(&t, at, name);
		else
			expect_nothing(&t, at);
	}
	symbol_table_release(&t);
}

Test(symbol_text, takes_blanks_tabs_and_returns_of_a_map_for_no_part_of_a_name)
{
	struct file f = make_file();
	struct symbol_table t;

	fputs("1000 8 plain\r\n2000\t8\ttabs\n \t0x3000  0x8  two words \t\r\n4000 8 \r\n", f.text);
	read_map(&t, &f);
	cr_assert_eq(t.nr, 3);
	expect_name(&t, 0x1000, "plain");
	expect_name(&t, 0x2000, "tabs");
	expect_name(&t, 0x3000, "two words");
	symbol_table_release(&t);
}
