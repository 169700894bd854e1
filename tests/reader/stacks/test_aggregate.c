// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/aggregate.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reader/order/replay.h"
#include "reader/report/print_report.h"
#include "reader/rows/table_build.h"
#include "tests/support/made_capture.h"
#include "tests/support/records.h"

static struct made_capture m;
static struct chunk_table chunks;
static struct tasks *tasks;
static struct symbols *symbols;
static struct aggregate aggregate;
static struct table table;
static struct ts_bytes text;
static uint64_t step_ns; /* length of the time that one step counts; 0: all of it */

static void init(void)
{
	made_capture_init(&m, 2);
	step_ns = 0;
}

static void release_results(void)
{
	ts_bytes_release(&text);
	table_release(&table);
	aggregate_release(&aggregate);
	symbols_free(symbols);
	tasks_free(tasks);
	chunk_table_close(&chunks);
	symbols = NULL;
	tasks = NULL;
}

static void fini(void)
{
	release_results();
	made_capture_release(&m);
}

TestSuite(aggregate, .init = init, .fini = fini);

static int take_text(void *arg, const struct ts_bytes *more)
{
	ts_bytes_put(arg, more->data, more->len);
	return 0;
}

/* Adds the columns of perf report -n. */
static void add_columns(struct report_columns *c, const struct table_plan *plan)
{
	if (plan->children)
		c->items[c->nr++] = TABLE_CHILDREN;
	c->items[c->nr++] = TABLE_OVERHEAD;
	c->items[c->nr++] = TABLE_SAMPLES;
	for (size_t i = 0; i < plan->nr_keys; i++)
		c->items[c->nr++] = plan->keys[i];
}

/* Adds the samples later than given_ns, up to until_ns. */
static void count_step(const struct aggregate_plan *how, uint64_t given_ns, uint64_t until_ns)
{
	const struct selection_text everything = {0};
	struct selection selection = {0};
	struct ts_error err = {0};

	cr_assert_eq(selection_open(&selection, &everything, &m.capture.header.events,
				    chunks.first_ns, chunks.last_ns, &err),
		     0);
	cr_assert_eq(selection_end_at(&selection, until_ns, &err), 0);
	for (size_t i = 0; i < chunks.nr; i++)
		chunks.chunks[i].given_ns = given_ns;
	chunks.selection = &selection;
	cr_assert_eq((given_ns ? aggregate_add : aggregate_run)(&aggregate, how, &chunks, tasks,
								symbols, &err),
		     0);
	chunks.selection = NULL;
	selection_close(&selection);
}

static void count(const struct aggregate_plan *how)
{
	struct ts_error err = {0};

	if (!step_ns)
		cr_assert_eq(aggregate_run(&aggregate, how, &chunks, tasks, symbols, &err), 0);
	for (uint64_t given_ns = 0; step_ns && given_ns < chunks.last_ns; given_ns += step_ns)
		count_step(how, given_ns, given_ns + step_ns);
}

/* The whole way from records to the rows of event 0, in `text`. */
static void report(const struct table_plan *wanted)
{
	struct table_plan plan = *wanted;
	struct aggregate_plan how = {.with_chains = plan.with_chains || plan.children,
				     .keep_roots = plan.caller_first,
				     .max_frames = 127};
	struct ts_error err = {0};
	struct damage damage = {0};

	how.nr_workers = plan.nr_workers = plan.nr_workers ? plan.nr_workers : 2;
	for (size_t i = 0; i < plan.nr_keys; i++) {
		how.by_comm |= plan.keys[i] == TABLE_COMM;
		how.by_tid |= plan.keys[i] == TABLE_TID;
	}
	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&chunks, &m.capture, plan.nr_workers, 0, NULL, &err), 0);
	tasks = replay_sideband(&chunks, &damage, NULL, &err);
	cr_assert_not_null(tasks, "%s", err.text);
	symbols = symbols_new(tasks, &m.capture.header, &err);
	cr_assert_not_null(symbols, "%s", err.text);
	count(&how);
	cr_assert_eq(table_build(&table, &aggregate, 1, &plan, &err), 0);
	struct report r = {.table = &table,
			   .events = &m.capture.header.events,
			   .tasks = tasks,
			   .style = {.show_graphs = plan.with_chains,
				     .graph.callgraph.min_share = plan.min_share,
				     .quiet = true}};
	add_columns(&r.style.columns, &plan);
	cr_assert_eq(print_report_event(&r, 0, take_text, &text), 0);
	ts_bytes_put(&text, "", 1);
}

static void expect_text(const char *wanted)
{
	cr_expect_str_eq((const char *)text.data, wanted);
}

static const struct table_plan by_comm = {.keys = {TABLE_COMM}, .nr_keys = 1};
static const struct table_plan by_dso = {.keys = {TABLE_DSO}, .nr_keys = 1};

static void sample(uint64_t time_ns, uint32_t tid, uint64_t ip, uint64_t period)
{
	made_sample(&m, time_ns % 2,
		    &(struct made_sample){.time_ns = time_ns,
					  .ip = ip,
					  .period = period,
					  .pid = tid,
					  .tid = tid,
					  .misc = PERF_RECORD_MISC_USER});
}

Test(aggregate, sums_periods_and_samples_by_command)
{
	made_comm(&m, 0, 1, 1, "one", 0);
	made_comm(&m, 0, 2, 2, "two", 0);
	sample(10, 1, 0x1000, 3);
	sample(11, 2, 0x2000, 6);
	sample(12, 1, 0x1234, 1);
	report(&by_comm);
	expect_text("    60.00%             1  two    \n"
		    "    40.00%             2  one    \n"
		    "\n\n");
	cr_expect_eq(aggregate_nr_samples(&aggregate), 3);
}

Test(aggregate, takes_the_name_of_the_sample_s_time)
{
	made_comm(&m, 0, 1, 1, "before", 0);
	made_comm(&m, 1, 1, 1, "after", 15);
	sample(10, 1, 0x1000, 1);
	sample(20, 1, 0x1000, 3);
	report(&by_comm);
	expect_text("    75.00%             1  after  \n"
		    "    25.00%             1  before \n"
		    "\n\n");
}

Test(aggregate, takes_the_map_of_the_sample_s_time)
{
	made_mmap(&m, 0, 1, 0x1000, 0x1000, "/none/first.so", 0);
	made_mmap(&m, 1, 1, 0x1000, 0x1000, "/none/second.so", 15);
	sample(10, 1, 0x1800, 1);
	sample(20, 1, 0x1800, 2);
	sample(21, 1, 0x9800, 1);
	report(&by_dso);
	expect_text("    50.00%             1  second.so       \n"
		    "    25.00%             1  first.so        \n"
		    "    25.00%             1  [unknown]       \n"
		    "\n\n");
}

Test(aggregate, calls_a_thread_without_a_name_by_its_number)
{
	sample(10, 4711, 0x1000, 1);
	sample(11, 0, 0x1000, 1);
	report(&by_comm);
	expect_text("    50.00%             1  :4711  \n"
		    "    50.00%             1  swapper\n"
		    "\n\n");
}

Test(aggregate, lets_no_control_character_through)
{
	made_comm(&m, 0, 1, 1, "\033[31mred\n", 0);
	sample(10, 1, 0x1000, 1);
	report(&by_comm);
	expect_text("   100.00%             1  ?[31mred?\n\n\n");
}

static void chain_sample(uint64_t time_ns, const uint64_t *chain, size_t nr, uint64_t period)
{
	made_sample(&m, 0,
		    &(struct made_sample){.time_ns = time_ns,
					  .ip = chain[1],
					  .period = period,
					  .pid = 1,
					  .tid = 1,
					  .misc = PERF_RECORD_MISC_USER,
					  .chain = chain,
					  .nr_chain = nr});
}

static const uint64_t recursion[] = {PERF_CONTEXT_USER, 0x30, 0x20, 0x20, 0x10};
static const uint64_t branch[] = {PERF_CONTEXT_USER, 0x40, 0x20, 0x10};

Test(aggregate, counts_a_caller_once_a_sample)
{
	const struct table_plan plan = {
		.keys = {TABLE_SYM}, .nr_keys = 1, .children = true, .caller_first = true};

	chain_sample(1, recursion, 5, 3);
	chain_sample(2, branch, 4, 1);
	report(&plan);
	expect_text("   100.00%     0.00%             0  [.] 0x0000000000000010\n"
		    "   100.00%     0.00%             0  [.] 0x0000000000000020\n"
		    "    75.00%    75.00%             1  [.] 0x0000000000000030\n"
		    "    25.00%    25.00%             1  [.] 0x0000000000000040\n"
		    "\n\n");
}

Test(aggregate, draws_callers_above_what_they_call)
{
	const struct table_plan plan = {
		.keys = {TABLE_COMM}, .nr_keys = 1, .with_chains = true, .caller_first = true};

	chain_sample(1, recursion, 5, 3);
	chain_sample(2, branch, 4, 1);
	report(&plan);
	expect_text("   100.00%             2  :1     \n"
		    "            |\n"
		    "            ---0x10\n"
		    "               0x20\n"
		    "               |          \n"
		    "               |--75.00%--0x20\n"
		    "               |          0x30\n"
		    "               |          \n"
		    "                --25.00%--0x40\n"
		    "\n\n\n");
}

Test(aggregate, leaves_small_branches_out)
{
	const struct table_plan plan = {
		.keys = {TABLE_COMM}, .nr_keys = 1, .with_chains = true, .min_share = 0.3};

	chain_sample(1, recursion, 5, 300);
	chain_sample(2, branch, 4, 100);
	report(&plan);
	expect_text("   100.00%             2  :1     \n"
		    "            |          \n"
		    "             --75.00%--0x30\n"
		    "                       0x20\n"
		    "                       0x20\n"
		    "                       0x10\n"
		    "\n\n\n");
}

Test(aggregate, draws_an_address_once_though_its_object_was_mapped_again)
{
	const struct table_plan plan = {
		.keys = {TABLE_DSO}, .nr_keys = 1, .with_chains = true, .caller_first = true};

	made_mmap(&m, 0, 1, 0x1000, 0x2000, "/none/prog", 0);
	made_mmap(&m, 0, 1, 0x2000, 0x1000, "/none/prog", 15);
	chain_sample(10, (const uint64_t[]){PERF_CONTEXT_USER, 0x2100}, 2, 1);
	chain_sample(20, (const uint64_t[]){PERF_CONTEXT_USER, 0x2100}, 2, 1);
	report(&plan);
	cr_expect(strstr((const char *)text.data, "---0x2100\n"), "%s", (const char *)text.data);
}

Test(aggregate, drops_a_chain_with_a_context_that_nobody_knows)
{
	const uint64_t strange[] = {(uint64_t)-3000, 0x30, 0x20};
	const struct table_plan plan = {.keys = {TABLE_SYM}, .nr_keys = 1, .children = true};

	chain_sample(1, strange, 3, 1);
	report(&plan);
	expect_text("   100.00%   100.00%             1  [.] 0x0000000000000030\n\n\n");
}

/* --- much at once --- */

static void add_much(uint64_t seed, uint64_t nr_samples)
{
	uint64_t chain[12] = {PERF_CONTEXT_USER};

	for (uint32_t pid = 1; pid < 9; pid++) {
		char name[16] = {(char)('a' + pid), 0};

		made_comm(&m, 0, pid, pid, name, 0);
		made_mmap(&m, 0, pid, 0x1000, 0x10000, "/none/prog", 0);
	}
	for (uint64_t i = 0; i < nr_samples; i++) {
		size_t nr = 1 + next_random(&seed) % 11;
		uint32_t tid = 1 + (uint32_t)(next_random(&seed) % 9);

		for (size_t f = 1; f < nr; f++)
			chain[f] = 0x800 + next_random(&seed) % 40 * 0x100;
		made_sample(&m, next_random(&seed) % 2,
			    &(struct made_sample){.time_ns = 100 + i,
						  .ip = nr > 1 ? chain[1] : 0x1000,
						  .period = 1 + next_random(&seed) % 5,
						  .pid = tid,
						  .tid = tid,
						  .misc = PERF_RECORD_MISC_USER,
						  .chain = chain,
						  .nr_chain = nr});
	}
}

Test(aggregate, says_the_same_with_any_number_of_workers)
{
	struct table_plan plan = {.keys = {TABLE_COMM, TABLE_DSO, TABLE_SYM},
				  .nr_keys = 3,
				  .children = true,
				  .with_chains = true,
				  .caller_first = true,
				  .min_share = 0.005,
				  .nr_workers = 1};
	char *first;

	add_much(1, 20000);
	report(&plan);
	first = strdup((const char *)text.data);
	for (plan.nr_workers = 2; plan.nr_workers < 6; plan.nr_workers++) {
		release_results();
		report(&plan);
		cr_expect(!strcmp(first, (const char *)text.data), "%u workers", plan.nr_workers);
	}
	free(first);
}

Test(aggregate, says_the_same_when_it_was_counted_in_steps)
{
	struct table_plan plan = {.keys = {TABLE_COMM, TABLE_TID, TABLE_DSO, TABLE_SYM},
				  .nr_keys = 4,
				  .children = true,
				  .with_chains = true,
				  .caller_first = true,
				  .nr_workers = 1};
	const uint64_t frames_beyond = 1000;
	char *at_once;

	add_much(1, 20000);
	sample(5000, 1, 0x1000, 1);
	memcpy(m.bytes[0].data + m.bytes[0].len - 8, &frames_beyond, sizeof(frames_beyond));
	report(&plan);
	at_once = strdup((const char *)text.data);
	step_ns = 3000;
	for (; plan.nr_workers < 4; plan.nr_workers++) {
		release_results();
		report(&plan);
		cr_expect(!strcmp(at_once, (const char *)text.data), "%u workers", plan.nr_workers);
		cr_expect_eq(aggregate.nr_bad, 1);
	}
	free(at_once);
}

Test(aggregate, survives_whatever_a_capture_holds)
{
	const struct table_plan plan = {.keys = {TABLE_COMM, TABLE_DSO, TABLE_SYM},
					.nr_keys = 3,
					.children = true,
					.with_chains = true};

	for (uint64_t seed = 1; seed < 100; seed++) {
		uint64_t random = seed;

		add_much(seed, 2000);
		for (int i = 0; i < 300; i++)
			m.bytes[i % 2].data[next_random(&random) % m.bytes[i % 2].len] =
				(uint8_t)next_random(&random);
		report(&plan);
		release_results();
		ts_bytes_clear(&m.bytes[0]);
		ts_bytes_clear(&m.bytes[1]);
	}
}
