// SPDX-License-Identifier: Apache-2.0
/*
 * A report by several workers: what one thread hands to another must be ordered. Under
 * --enable-tsan a missing order is found; without, the sums must be right.
 */
#include <stdio.h>

#include "reader/order/replay.h"
#include "reader/rows/table_build.h"
#include "reader/stacks/aggregate.h"
#include "tests/support/made_capture.h"
#include "tests/support/records.h"

#define SAMPLES 60000
#define WORKERS 4

static void add_samples(struct made_capture *m)
{
	uint64_t chain[8] = {PERF_CONTEXT_USER}, seed = 1;

	made_comm(m, 0, 1, 1, "one", 0);
	made_mmap(m, 0, 1, 0x1000, 0x10000, "/none/prog", 0);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		for (size_t f = 1; f < 8; f++)
			chain[f] = 0x1000 + next_random(&seed) % 16 * 0x100;
		made_sample(m, i % 2,
			    &(struct made_sample){.time_ns = 100 + i,
						  .ip = chain[1],
						  .period = 1,
						  .pid = 1,
						  .tid = 1,
						  .misc = PERF_RECORD_MISC_USER,
						  .chain = chain,
						  .nr_chain = 8});
	}
	made_capture_finish(m);
}

static int check(const struct table *t)
{
	uint64_t self = 0;

	for (size_t i = 0; i < t->nr; i++)
		self += t->order[i].self_period;
	if (self == SAMPLES && t->events[0].nr_samples == SAMPLES)
		return 0;
	printf("%llu of %d samples are in the table\n", (unsigned long long)self, SAMPLES);
	return 1;
}

int main(void)
{
	const struct aggregate_plan how = {
		.by_comm = true, .with_chains = true, .max_frames = 127, .nr_workers = WORKERS};
	const struct table_plan plan = {.keys = {TABLE_COMM, TABLE_SYM},
					.nr_keys = 2,
					.children = true,
					.with_chains = true,
					.nr_workers = WORKERS};
	struct chunk_table chunks = {0};
	struct aggregate aggregate = {0};
	struct symbols *symbols = NULL;
	struct tasks *tasks = NULL;
	struct table table = {0};
	struct ts_error err = {0};
	struct made_capture m;
	struct damage damage = {0};
	int status = 1;

	made_capture_init(&m, 2);
	add_samples(&m);
	if (!chunk_table_open(&chunks, &m.capture, WORKERS, CHUNK_TABLE_COUNTS, NULL, &err))
		tasks = replay_sideband(&chunks, &damage, NULL, &err);
	if (tasks)
		symbols = symbols_new(tasks, &m.capture.header, &err);
	if (symbols && !aggregate_run(&aggregate, &how, &chunks, tasks, symbols, &err) &&
	    !table_build(&table, &aggregate, 1, &plan, &err))
		status = check(&table);
	else
		puts(err.text);
	table_release(&table);
	aggregate_release(&aggregate);
	symbols_free(symbols);
	tasks_free(tasks);
	chunk_table_close(&chunks);
	made_capture_release(&m);
	return status;
}
