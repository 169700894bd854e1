// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_table.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

static void add(struct symbol_table *t, uint64_t start, uint64_t size, uint8_t bind,
		const char *name)
{
	symbol_table_add(t, start, size, UINT64_MAX, bind, STT_FUNC, name, strlen(name));
}

static const char *name_at(struct symbol_table *t, uint64_t addr)
{
	const struct symbol *sym = symbol_table_find(t, addr);

	return sym ? sym->name : "(none)";
}

Test(symbol_table, finds_first_and_last_byte_and_nothing_between_symbols)
{
	struct symbol_table t;

	symbol_table_init(&t);
	add(&t, 0x200, 0x10, STB_GLOBAL, "second");
	add(&t, 0x100, 0x20, STB_GLOBAL, "first");
	symbol_table_finish(&t, false);
	cr_assert_str_eq(name_at(&t, 0x0ff), "(none)");
	cr_assert_str_eq(name_at(&t, 0x100), "first");
	cr_assert_str_eq(name_at(&t, 0x11f), "first");
	cr_assert_str_eq(name_at(&t, 0x120), "(none)");
	cr_assert_str_eq(name_at(&t, 0x20f), "second");
	cr_assert_str_eq(name_at(&t, 0x210), "(none)");
	symbol_table_release(&t);
}

Test(symbol_table, ends_a_symbol_of_unknown_size_at_the_next_one)
{
	struct symbol_table t;

	symbol_table_init(&t);
	add(&t, 0x1000, 0, STB_GLOBAL, "open_ended");
	add(&t, 0x1800, 0, STB_GLOBAL, "last");
	symbol_table_finish(&t, false);
	cr_assert_str_eq(name_at(&t, 0x17ff), "open_ended");
	cr_assert_str_eq(name_at(&t, 0x2fff), "last");
	cr_assert_str_eq(name_at(&t, 0x3000), "(none)");
	symbol_table_release(&t);
}

Test(symbol_table, prefers_strong_then_global_then_fewer_underscores_then_longer)
{
	static const struct {
		const char *kept, *dropped;
		uint64_t kept_size, dropped_size;
		uint8_t kept_bind, dropped_bind;
	} cases[] = {
		{"strong", "weak_but_longer", 8, 8, STB_LOCAL, STB_WEAK},
		{"global", "local_but_longer", 8, 8, STB_GLOBAL, STB_LOCAL},
		{"read", "__libc_read", 8, 8, STB_GLOBAL, STB_GLOBAL},
		{"read_longer", "read", 8, 8, STB_GLOBAL, STB_GLOBAL},
		{"aaaa", "bbbb", 8, 8, STB_GLOBAL, STB_GLOBAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbol_table t;

		symbol_table_init(&t);
		add(&t, 0x10, cases[i].kept_size, cases[i].kept_bind, cases[i].kept);
		add(&t, 0x10, cases[i].dropped_size, cases[i].dropped_bind, cases[i].dropped);
		add(&t, 0x1000, 8, STB_GLOBAL, "next");
		symbol_table_finish(&t, false);
		cr_expect_eq(t.nr, 2);
		cr_expect_str_eq(name_at(&t, 0x10), cases[i].kept);
		symbol_table_release(&t);
	}
}

Test(symbol_table, ends_a_symbol_of_unknown_size_with_its_section)
{
	struct symbol_table t;

	symbol_table_init(&t);
	symbol_table_add(&t, 0x1000, 0, 0x1017, STB_GLOBAL, STT_FUNC, "_init", 5);
	add(&t, 0x1800, 8, STB_GLOBAL, "main");
	symbol_table_finish(&t, false);
	cr_assert_str_eq(name_at(&t, 0x1016), "_init");
	cr_assert_str_eq(name_at(&t, 0x1017), "(none)");
	symbol_table_release(&t);
}

/*
 * A symbol without size ends at the next one. At the same address this leaves it empty, and it is
 * dropped.
 */
Test(symbol_table, prefers_a_symbol_with_a_size)
{
	struct symbol_table t;

	symbol_table_init(&t);
	add(&t, 0x10, 0, STB_GLOBAL, "unsized_but_longer");
	add(&t, 0x10, 8, STB_LOCAL, "sized");
	symbol_table_finish(&t, false);
	cr_assert_eq(t.nr, 1);
	cr_assert_str_eq(name_at(&t, 0x10), "sized");
	symbol_table_release(&t);
}

Test(symbol_table, keeps_kernel_and_module_symbols_apart)
{
	struct symbol_table t;

	symbol_table_init(&t);
	add(&t, 0xffff0100, 0, STB_GLOBAL, "last_of_kernel");
	add(&t, 0xfffff000, 0, STB_GLOBAL, "init\t[xfs]");
	symbol_table_finish(&t, true);
	cr_assert_eq(t.kernel_end, 0xffff2000);
	cr_assert_str_eq(name_at(&t, 0xffff0200), "last_of_kernel");
	cr_assert_str_eq(name_at(&t, 0xffff8000), "(none)");
	cr_assert_str_eq(name_at(&t, 0xfffff004), "init");
	symbol_table_release(&t);
}

Test(symbol_table, names_the_innermost_of_nested_symbols)
{
	struct symbol_table t;

	symbol_table_init(&t);
	add(&t, 0x100, 0x100, STB_GLOBAL, "outer");
	add(&t, 0x120, 0x10, STB_GLOBAL, "inner");
	symbol_table_finish(&t, false);
	cr_assert_str_eq(name_at(&t, 0x125), "inner");
	cr_assert_str_eq(name_at(&t, 0x140), "outer");
	symbol_table_release(&t);
}

Test(symbol_table, shows_cplusplus_names_without_parameters)
{
	struct symbol_table t;

	symbol_table_init(&t);
	add(&t, 0x100, 0x10, STB_GLOBAL, "_ZN3foo3BarImE4spinEm");
	symbol_table_finish(&t, false);
	cr_assert_str_eq(name_at(&t, 0x100), "foo::Bar<unsigned long>::spin");
	symbol_table_release(&t);
}

Test(symbol_table, takes_plt_entries_in_beside_symbols_that_are_already_there)
{
	struct symbol_table t, plt;

	symbol_table_init(&t);
	symbol_table_init(&plt);
	add(&t, 0x100, 0x10, STB_GLOBAL, "main");
	symbol_table_finish(&t, false);
	add(&plt, 0x40, 0x10, STB_GLOBAL, "read@plt");
	symbol_table_merge(&t, &plt);
	symbol_table_release(&plt);
	cr_assert_str_eq(name_at(&t, 0x44), "read@plt");
	cr_assert_str_eq(name_at(&t, 0x104), "main");
	symbol_table_release(&t);
}

#define NR_MANY 300000 /* more than are sorted at once */

/* A mixed order: the factor has no divisor in common with the number. */
static void add_many(struct symbol_table *t)
{
	char name[32];

	for (uint64_t i = 0; i < NR_MANY; i++) {
		const uint64_t n = i * 77773 % NR_MANY;

		snprintf(name, sizeof(name), "f%llu", (unsigned long long)n);
		add(t, 0x1000 + 16 * n, 16, STB_GLOBAL, name);
	}
}

Test(symbol_table, sorts_more_symbols_than_are_sorted_at_once)
{
	struct symbol_table t;
	char name[32];

	symbol_table_init(&t);
	add_many(&t);
	symbol_table_finish(&t, false);
	cr_assert_not(t.failed);
	cr_assert_eq(t.nr, NR_MANY);
	for (uint64_t n = 0; n < NR_MANY; n++) {
		snprintf(name, sizeof(name), "f%llu", (unsigned long long)n);
		cr_assert_str_eq(name_at(&t, 0x1000 + 16 * n + 15), name);
	}
	symbol_table_release(&t);
}

Test(symbol_table, gives_up_when_it_is_stopped)
{
	struct symbol_table t;
	struct ts_error err;
	struct ts_stop stop;

	cr_assert_eq(ts_stop_init(&stop, &err), 0);
	ts_stop_raise(&stop);
	symbol_table_init(&t);
	add_many(&t);
	t.stop = &stop;
	symbol_table_finish(&t, false);
	cr_assert(t.failed);
	cr_assert_str_eq(name_at(&t, 0x1000), "(none)");
	symbol_table_clear(&t);
	cr_assert_not(t.failed);
	symbol_table_release(&t);
	ts_stop_release(&stop);
}
