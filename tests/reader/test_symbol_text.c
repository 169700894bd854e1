// SPDX-License-Identifier: Apache-2.0
#include "reader/symbol_text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	rc = symbol_text_kallsyms(t, f->path, HARMLESS_OWN, "_text", &reference, err);
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
