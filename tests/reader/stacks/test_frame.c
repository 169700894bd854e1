// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/frame.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <unistd.h>

#include "reader/order/replay.h"
#include "reader/symbols/module.h"
#include "tests/support/made_capture.h"

#define SIZE 0x1000000

static struct made_capture m;
static struct chunk_table chunks;
static struct tasks *tasks;
static struct symbols *symbols;
static struct resolver resolver;

static void init(void)
{
	made_capture_init(&m, 1);
}

static void fini(void)
{
	resolver_release(&resolver);
	symbols_free(symbols);
	tasks_free(tasks);
	chunk_table_close(&chunks);
	made_capture_release(&m);
}

TestSuite(frame, .init = init, .fini = fini);

static void open_resolver(void)
{
	struct damage damage = {0};
	struct ts_error err;

	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&chunks, &m.capture, 1, 0, NULL, &err), 0);
	tasks = replay_sideband(&chunks, &damage, NULL, &err);
	cr_assert_not_null(tasks);
	symbols = symbols_new(tasks, &m.capture.header, &err);
	cr_assert_not_null(symbols);
	cr_assert_eq(resolver_init(&resolver, symbols, false, LINE_NONE, NULL), 0);
}

static uint32_t find(uint32_t pid, uint64_t addr)
{
	struct frame_place place = {.pid = pid, .time_ns = 100};
	struct task_moment moment;

	tasks_moment(tasks, pid, pid, 100, &moment);
	place.space = moment.space;
	return resolver_find(&resolver, &place, PERF_RECORD_MISC_USER, addr);
}

static const struct frame *at(uint32_t frame)
{
	return &resolver.frames.items[frame];
}

/* A function that only the file names is the same wherever the file is mapped. */
Test(frame, of_a_symbol_is_one_for_all_processes)
{
	char self[PATH_MAX] = "";
	uint64_t offset = 0;
	const struct symbol *symbol;
	struct module file;

	cr_assert_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	made_mmap(&m, 0, 7, 0x400000, SIZE, self, 10);
	made_mmap(&m, 0, 8, 0x7f0000000000, SIZE, self, 20);
	open_resolver();
	module_init(&file, MODULE_FILE);
	file.path = file.name.long_name = self;
	for (symbol = NULL; !symbol && offset < SIZE; offset += 64)
		symbol = module_find(&file, offset);
	offset -= 64;
	cr_assert_not_null(symbol);
	for (int again = 0; again < 2; again++) {
		uint32_t first = find(7, 0x400000 + offset),
			 other = find(8, 0x7f0000000000 + offset);

		cr_assert_eq(first, other);
		cr_assert_str_eq(at(first)->symbol->name, symbol->name);
		cr_assert_eq(at(first)->ip, 0);
	}
	module_release(&file);
}

Test(frame, without_a_symbol_has_the_address_that_was_sampled)
{
	made_mmap(&m, 0, 7, 0x400000, SIZE, "/nowhere/a", 10);
	made_mmap(&m, 0, 8, 0x400000, SIZE, "/nowhere/a", 20);
	made_mmap(&m, 0, 9, 0x7f0000000000, SIZE, "/nowhere/a", 30);
	made_mmap(&m, 0, 10, 0x400000, SIZE, "/nowhere/b", 40);
	open_resolver();
	for (int again = 0; again < 3; again++) {
		uint32_t first = find(7, 0x400123);

		cr_assert_eq(at(first)->ip, 0x400123);
		cr_assert_eq(at(first)->addr, 0x123);
		cr_assert_eq(find(8, 0x400123), first);
		cr_assert_eq(at(find(9, 0x7f0000000123))->ip, 0x7f0000000123);
		cr_assert_eq(at(find(9, 0x7f0000000123))->addr, 0x123);
		cr_assert_neq(find(10, 0x400123), first);
		cr_assert_null(at(find(9, 0x400123))->module);
	}
}

/* A map that came later took a part of the first. */
Test(frame, follows_maps_that_take_parts_of_others)
{
	made_mmap(&m, 0, 7, 0x400000, SIZE, "/nowhere/a", 10);
	made_mmap(&m, 0, 7, 0x401000, 0x1000, "/nowhere/b", 20);
	open_resolver();
	for (int again = 0; again < 2; again++) {
		cr_assert_str_eq(at(find(7, 0x400fff))->module->short_name, "a");
		cr_assert_str_eq(at(find(7, 0x401000))->module->short_name, "b");
		cr_assert_str_eq(at(find(7, 0x401fff))->module->short_name, "b");
		cr_assert_str_eq(at(find(7, 0x402000))->module->short_name, "a");
	}
}

/* Sanitizers also show that nothing is computed from the missing module. */
Test(frame, without_a_module_has_no_source_line)
{
	struct location where;

	made_mmap(&m, 0, 7, 0x400000, SIZE, "/nowhere/a", 10);
	open_resolver();
	symbols_resolve(symbols, 7, PERF_RECORD_MISC_USER, 0x1000, 100, &where);
	cr_assert_null(where.module);
	cr_assert_null(symbols_lines(&where));
}

Test(frame, is_late_while_another_thread_reads_its_symbols)
{
	struct task_range range;
	struct module *read = NULL;
	struct code_span code;

	made_mmap(&m, 0, 7, 0x400000, SIZE, "/nowhere/a", 10);
	open_resolver();
	symbols_code_at(symbols, 7, 0x400123, 100, &code);
	cr_assert_not_null(tasks_map_around(tasks, 7, 0x400123, 100, &range));
	cr_assert_eq(code.end, range.end);
	read = code.module;
	read->is_loading = true; /* as another thread would set it */
	resolver.is_hasty = true;
	cr_assert_eq(find(7, 0x400123), FRAME_LATE);
	cr_assert_eq(resolver.waited, read);
	resolver.is_hasty = false;
	cr_assert_eq(at(find(7, 0x400123))->ip, 0x400123);
	cr_assert(!module_would_wait(read));
}
