// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/selection.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>

#include "reader/order/replay.h"
#include "reader/rows/table_build.h"
#include "reader/stacks/aggregate.h"
#include "tests/support/made_capture.h"

static struct made_capture m;
static struct selection_text given;
static struct selection selection;
static struct chunk_table chunks;
static struct tasks *tasks;
static struct symbols *symbols;
static struct aggregate aggregate;
static struct table table;

static void init(void)
{
	made_capture_init(&m, 2);
}

static void fini(void)
{
	table_release(&table);
	aggregate_release(&aggregate);
	symbols_free(symbols);
	tasks_free(tasks);
	chunk_table_close(&chunks);
	selection_close(&selection);
	selection_text_release(&given);
	made_capture_release(&m);
}

TestSuite(selection, .init = init, .fini = fini);

static void sample(uint64_t time_ns, uint32_t pid, uint32_t cpu, uint64_t period)
{
	made_sample(&m, cpu,
		    &(struct made_sample){.time_ns = time_ns,
					  .ip = 0x1000,
					  .period = period,
					  .pid = pid,
					  .tid = pid,
					  .cpu = cpu,
					  .misc = PERF_RECORD_MISC_USER});
}

/* Goes from records to a table by command, for the selection of the text. */
static void report(struct selection_text *text)
{
	const struct aggregate_plan how = {.by_comm = true, .max_frames = 127, .nr_workers = 2};
	const struct table_plan plan = {.keys = {TABLE_COMM}, .nr_keys = 1, .nr_workers = 2};
	struct ts_error err = {0};
	struct damage damage = {0};

	made_capture_finish(&m);
	cr_assert_eq(selection_settle(text, &err), 0, "%s", err.text);
	given = *text;
	cr_assert_eq(selection_open(&selection, text, &m.capture.header.events, 10, 20, &err), 0,
		     "%s", err.text);
	cr_assert_eq(chunk_table_open(&chunks, &m.capture, 2, 0, &selection, &err), 0);
	tasks = replay_sideband(&chunks, &damage, NULL, &err);
	symbols = symbols_new(tasks, &m.capture.header, &err);
	cr_assert_not_null(symbols, "%s", err.text);
	cr_assert_eq(aggregate_run(&aggregate, &how, &chunks, tasks, symbols, &err), 0);
	cr_assert_eq(table_build(&table, &aggregate, 1, &plan, &err), 0);
}

static void make(void)
{
	made_comm(&m, 0, 1, 1, "one", 0);
	made_comm(&m, 0, 2, 2, "two", 0);
	made_comm(&m, 1, 2, 2, "later", 15);
	sample(10, 1, 0, 1);
	sample(11, 2, 1, 2);
	sample(19, 1, 0, 4);
	sample(20, 2, 1, 8);
}

static void expect_rows(size_t nr, uint64_t shown, uint64_t whole)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < table.nr; i++)
		sum += table.order[i].self_period;
	cr_expect_eq(table.nr, nr);
	cr_expect_eq(sum, shown);
	cr_expect_eq(table.events[0].period, whole);
}

Test(selection, of_time_leaves_nothing_of_the_rest)
{
	make();
	report(&(struct selection_text){.time = "0.000000011,0.000000019"});
	expect_rows(2, 6, 6);
}

Test(selection, of_a_share_ends_with_the_last_sample)
{
	make();
	report(&(struct selection_text){.time = "50%-100%"});
	expect_rows(2, 12, 12);
}

Test(selection, of_cpus_leaves_nothing_of_the_rest)
{
	make();
	report(&(struct selection_text){.cpus = "1"});
	expect_rows(2, 10, 10);
}

Test(selection, of_threads_keeps_the_whole_that_percentages_are_of)
{
	make();
	report(&(struct selection_text){.pids = "2", .tids = "1,2"});
	expect_rows(2, 10, 15);
}

Test(selection, of_a_command_knows_names_of_the_sample_s_time)
{
	make();
	report(&(struct selection_text){.comms = "later,nobody"});
	expect_rows(1, 8, 15);
}

Test(selection, of_functions_keeps_the_whole)
{
	make();
	report(&(struct selection_text){.symbols = "main"});
	expect_rows(0, 0, 15);
}

Test(selection, reads_no_chunk_of_other_times)
{
	for (uint64_t i = 0; i < 40000; i++)
		sample(100 + i, 1, 0, 1);
	report(&(struct selection_text){.time = "0.000000100,0.000000199"});
	expect_rows(1, 100, 100);
	cr_expect_gt(chunks.nr_seen, 4);
	cr_expect_eq(chunks.nr, 1);
	cr_expect_eq(atomic_load(&chunks.reads->nr_chunks), 1);
}

Test(selection, says_which_event_lacks_what_is_asked_for)
{
	const struct selection_text text = {.cpus = "0"};
	struct ts_error err;

	made_capture_finish(&m);
	m.capture.header.events.items[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CPU;
	cr_expect_eq(selection_open(&selection, &text, &m.capture.header.events, 0, 0, &err),
		     -EINVAL);
	cr_expect_neq(err.hint[0], 0);
}
