// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/stack_counter.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "reader/order/replay.h"
#include "reader/symbols/module.h"
#include "tests/support/made_capture.h"

#define PID   7
#define START 0x400000
#define SIZE  0x100000

static struct made_capture m;
static struct chunk_table chunks;
static struct tasks *tasks;
static struct symbols *symbols;
static struct stack_counter stacker;
static struct module *module;

static const struct aggregate_plan plan = {.with_chains = true, .max_frames = 127, .nr_workers = 1};
static struct stack_counter_source source = {.plan = &plan, .nr_events = 1};

static void init(void)
{
	struct damage damage = {0};
	struct code_span code;
	struct ts_error err;

	made_capture_init(&m, 1);
	made_mmap(&m, 0, PID, START, SIZE, "/nowhere/a", 10);
	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&chunks, &m.capture, 1, 0, NULL, &err), 0);
	tasks = replay_sideband(&chunks, &damage, NULL, &err);
	cr_assert_not_null(tasks);
	symbols = symbols_new(tasks, &m.capture.header, &err);
	cr_assert_not_null(symbols);
	source.tasks = tasks;
	source.symbols = symbols;
	cr_assert_eq(stack_counter_init(&stacker, &source), 0);
	symbols_code_at(symbols, PID, START, 100, &code);
	module = code.module;
	cr_assert_not_null(module);
}

static void fini(void)
{
	waiting_samples_release(&stacker.late);
	tally_release(&stacker.tally);
	symbols_free(symbols);
	tasks_free(tasks);
	chunk_table_close(&chunks);
	made_capture_release(&m);
}

TestSuite(stacker, .init = init, .fini = fini);

static void add(uint64_t ip, uint64_t caller)
{
	const uint64_t words[] = {(uint64_t)PERF_CONTEXT_USER, ip, caller};
	const struct ts_sample sample = {.sid = {.pid = PID, .tid = PID, .time_ns = 100},
					 .ip = ip,
					 .period = 3,
					 .callchain = {(const uint8_t *)words, 3}};

	stack_counter_add(&stacker, &sample, PERF_RECORD_MISC_USER);
}

static void expect_stacks(uint32_t nr_stacks, uint64_t nr_samples)
{
	const struct stacks *stacks = &stacker.tally.stacks;
	uint64_t nr = 0, period = 0;

	cr_expect_eq(stacks->nr, nr_stacks);
	for (uint32_t i = 0; i < stacks->nr; i++) {
		nr += stacks->items[i].nr_samples;
		period += stacks->items[i].period;
		cr_expect_eq(stacks->items[i].nr_frames, 2);
	}
	cr_expect_eq(nr, nr_samples);
	cr_expect_eq(period, 3 * nr_samples);
	cr_expect_eq(stacker.tally.rc, 0);
}

Test(stacker, counts_equal_stacks_as_one)
{
	add(START + 1, START + 2);
	add(START + 1, START + 2);
	add(START + 1, START + 3);
	expect_stacks(2, 3);
	stack_counter_finish(&stacker, false);
	expect_stacks(2, 3);
}

Test(stacker, keeps_samples_while_their_symbols_are_being_read)
{
	module->is_loading = true; /* as another thread would set it */
	add(START + 1, START + 2);
	add(START + 1, START + 2);
	expect_stacks(0, 0);
	stack_counter_catch_up(&stacker);
	expect_stacks(0, 0);
	module->is_loading = false;
	stack_counter_catch_up(&stacker);
	expect_stacks(1, 2);
	cr_expect(waiting_samples_is_empty(&stacker.late));
}

Test(stacker, waits_for_symbols_at_the_end)
{
	module->is_loading = true;
	add(START + 1, START + 2);
	stack_counter_finish(&stacker, false);
	expect_stacks(1, 1);
}

Test(stacker, waits_for_symbols_where_too_many_samples_are_kept)
{
	stacker.late.most_bytes = 3 * (sizeof(struct waiting_sample) + 3 * sizeof(uint64_t));
	module->is_loading = true;
	for (uint64_t i = 0; i < 3; i++)
		add(START + i, START + 9);
	expect_stacks(0, 0);
	add(START + 3, START + 9);
	expect_stacks(4, 4);
	cr_expect(waiting_samples_is_empty(&stacker.late));
}

Test(stacker, counts_without_waiting_when_it_was_stopped)
{
	module->is_loading = true;
	add(START + 1, START + 2);
	stack_counter_finish(&stacker, true);
	expect_stacks(0, 0);
	cr_expect(waiting_samples_is_empty(&stacker.late));
}

/* Refuses memory, as if the limit were reached and no file could be made. */
static void *refuse(void *unused, void *data, size_t bytes)
{
	(void)unused;
	if (!bytes)
		free(data);
	return !bytes || data ? NULL : malloc(bytes);
}

Test(stacker, keeps_nothing_of_a_sample_that_finds_no_memory)
{
	uint64_t words[100] = {(uint64_t)PERF_CONTEXT_USER, START + 1};
	const struct ts_words chain = {(const uint8_t *)words, 100};
	const struct ts_sample sample = {.period = 1};
	const struct raw_key raw = {0};
	struct ts_sample kept;
	struct raw_key key;
	struct waiting_samples late;
	size_t at = 0, nr = 0;

	waiting_samples_init(&late, NULL, WAITING_SAMPLES_BYTES);
	late.bytes.resize = refuse;
	cr_assert(waiting_samples_put(&late, &raw, &sample, NULL));
	cr_assert(!waiting_samples_put(&late, &raw, &sample, &chain));
	while (waiting_samples_next(&late, &at, &key, &kept))
		nr++;
	cr_assert_eq(nr, 1);
	cr_assert_eq(at, late.bytes.len);
	waiting_samples_release(&late);
}
