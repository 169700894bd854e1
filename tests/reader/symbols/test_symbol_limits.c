// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_limits.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reader/runtime/memory_limit.h"
#include "reader/symbols/symbol.h"
#include "reader/symbols/symbol_table.h"
#include "reader/tasks/tasks.h"

#define FREE_BYTES ((uint64_t)32 << 20)

static struct memory memory;
static struct symbol_limits limits;

/* A limit that this process is beyond already. */
static void init(void)
{
	memory_init(&memory, 4096, "/proc");
	symbol_limits_init(&limits, &memory, NULL);
}

static void fini(void)
{
	memory_release(&memory);
}

TestSuite(symbol_limits, .init = init, .fini = fini);

Test(symbol_limits, leave_all_tables_together_the_memory_of_two_kernels)
{
	cr_assert(symbol_limits_take(&limits, FREE_BYTES / 2));
	cr_assert(symbol_limits_take(&limits, FREE_BYTES / 2));
	cr_assert(!symbol_limits_take(&limits, 1));
	symbol_limits_give(&limits, 100);
	cr_assert(!symbol_limits_take(&limits, 101));
	cr_assert(symbol_limits_take(&limits, 100));
	cr_assert(symbol_limits_take(NULL, UINT64_MAX));
}

Test(symbol_limits, are_asked_again_when_memory_was_given_back)
{
	memory.limit_bytes = 0;
	cr_assert(symbol_limits_take(&limits, 4 * FREE_BYTES));
	memory.limit_bytes = 4096;
	symbol_limits_give(&limits, 4 * FREE_BYTES);
	cr_assert(!symbol_limits_take(&limits, FREE_BYTES + 1));
	cr_assert(symbol_limits_take(&limits, FREE_BYTES));
}

static void add(struct symbol_table *t, uint64_t nr)
{
	char name[32];

	symbol_table_init(t);
	t->limits = &limits;
	for (uint64_t i = 0; i < nr; i++)
		symbol_table_add(t, 16 * i, 16, UINT64_MAX, STB_GLOBAL, STT_FUNC, name,
				 (size_t)snprintf(name, sizeof(name), "f%lu", (unsigned long)i));
	symbol_table_finish(t, false);
}

Test(symbol_limits, count_little_for_a_table_of_one_symbol)
{
	struct symbol_table t;

	add(&t, 1);
	cr_assert_str_eq(symbol_table_find(&t, 0)->name, "f0");
	cr_assert_gt(limits.taken_bytes, sizeof(struct symbol_entry));
	cr_assert_lt(limits.taken_bytes, 256);
	symbol_table_release(&t);
	cr_assert_eq(limits.taken_bytes, 0);
}

Test(symbol_limits, refuse_a_table_as_a_whole)
{
	struct symbol_table t;

	add(&t, 1000000);
	cr_assert(t.failed);
	cr_assert_eq(symbol_table_lack(&t), MEMORY_REFUSED);
	cr_assert_null(symbol_table_find(&t, 0));
	symbol_table_clear(&t);
	cr_assert_eq(limits.taken_bytes, 0);
	symbol_table_release(&t);
}

Test(symbol_limits, count_what_a_table_gets_from_another_one)
{
	struct symbol_table t, plt;

	add(&t, 1);
	add(&plt, 100);
	symbol_table_merge(&t, &plt);
	symbol_table_release(&plt);
	cr_assert_gt(limits.taken_bytes, 100 * sizeof(struct symbol_entry));
	symbol_table_release(&t);
	cr_assert_eq(limits.taken_bytes, 0);
}

Test(symbol_limits, word_their_refusal)
{
	struct ts_error err;

	cr_assert_eq(symbol_limits_refuse("/x", &err), -MEMORY_REFUSED);
	cr_assert_str_eq(err.text, "cannot read /x: its symbols need more memory than is left");
}

Test(symbol_limits, are_not_taken_for_the_quota_of_a_filesystem)
{
	const struct ts_header header = {0};
	struct tasks *tasks = tasks_new(NULL);
	struct symbols *symbols;
	struct ts_error err;

	cr_assert_eq(tasks_freeze(tasks, &err), 0);
	symbols = symbols_new(tasks, &header, &err);
	cr_assert_not_null(symbols);
	symbols_note_fault(symbols, EDQUOT);
	cr_assert_eq(symbols_check(symbols, &err), -EDQUOT);
	cr_assert_str_eq(err.text, "cannot read all symbols of the capture: Disk quota exceeded");
	symbols_note_fault(symbols, -symbol_limits_refuse("/x", &err));
	cr_assert_lt(symbols_check(symbols, &err), 0);
	cr_assert_str_eq(err.hint, "names are missing in the result: give more with --mem-limit");
	symbols_free(symbols);
	tasks_free(tasks);
}
