// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/progress.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/base/clock.h"
#include "reader/order/replay.h"
#include "reader/stacks/aggregate.h"
#include "tests/support/made_capture.h"

#define MB (1u << 20)

static char text[TS_TERMINAL_LINE_BYTES];

static const struct progress_facts facts = {.what = "Counting samples",
					    .done_bytes = 250 * MB,
					    .total_bytes = 1000 * MB,
					    .taken_ns = 2 * TS_NS_PER_SEC};

Test(progress, says_share_rate_and_time_left)
{
	cr_assert_str_eq(progress_text(text, &facts, 200),
			 "Counting samples: 25 % of 1000 MB, 125 MB/s, 6 s left");
}

Test(progress, says_minutes_where_it_takes_long)
{
	struct progress_facts slow = facts;

	slow.taken_ns = 200 * TS_NS_PER_SEC;
	cr_assert_str_eq(progress_text(text, &slow, 200),
			 "Counting samples: 25 % of 1000 MB, 1 MB/s, 10 min left");
}

Test(progress, does_not_guess_before_anything_is_done)
{
	struct progress_facts none = facts;

	none.done_bytes = 0;
	none.taken_ns = 0;
	cr_assert_str_eq(progress_text(text, &none, 200), "Counting samples: 0 % of 1000 MB");
}

Test(progress, says_how_long_a_stage_of_unknown_size_takes)
{
	struct progress_facts opening = {.what = "Opening", .taken_ns = 3 * TS_NS_PER_SEC};

	cr_assert_str_eq(progress_text(text, &opening, 200), "Opening, 3 s");
}

Test(progress, never_fills_the_last_column)
{
	for (size_t columns = 1; columns < 120; columns++)
		cr_assert_lt(strlen(progress_text(text, &facts, columns)), columns);
}

Test(progress, has_nothing_to_tell_before_a_stage_begins)
{
	struct progress_facts told;
	struct progress p;
	struct ts_error err;

	cr_assert_eq(progress_init(&p, &err), 0);
	cr_expect_not(progress_look(&p, ts_clock_now_ns(), &told));
	progress_begin(&p, "Checking", 100);
	progress_add(&p, 25);
	cr_assert(progress_look(&p, ts_clock_now_ns(), &told));
	cr_expect_str_eq(told.what, "Checking");
	cr_expect_eq(told.done_bytes, 25);
	cr_expect_eq(progress_percent(&p), 25);
	progress_release(&p);
}

Test(progress, of_nobody_is_accepted)
{
	progress_begin(NULL, "Checking", 100);
	progress_add(NULL, 25);
	cr_expect_not(progress_is_stopped(NULL));
}

/* Counts the samples of the scene, with the progress as it is; returns their number. */
static uint64_t count(struct progress *p)
{
	const struct aggregate_plan plan = {.max_frames = 127, .nr_workers = 2};
	struct chunk_table table;
	struct aggregate a;
	struct made_capture m;
	struct damage damage = {0};
	struct symbols *symbols;
	struct tasks *tasks;
	struct ts_error err;
	uint64_t nr = 0;

	made_capture_init(&m, 2);
	for (uint32_t i = 0; i < 10; i++)
		made_sample(&m, i % 2,
			    &(struct made_sample){.time_ns = 10 + i,
						  .ip = 0x1000,
						  .period = 1,
						  .pid = 7,
						  .tid = 7,
						  .misc = PERF_RECORD_MISC_USER});
	made_capture_finish(&m);
	cr_assert_eq(chunk_table_open(&table, &m.capture, 1, 0, NULL, &err), 0);
	tasks = replay_sideband(&table, &damage, NULL, &err);
	symbols = symbols_new(tasks, &m.capture.header, &err);
	m.capture.progress = p;
	cr_assert_eq(aggregate_run(&a, &plan, &table, tasks, symbols, &err), 0);
	for (unsigned int i = 0; i < a.nr_parts; i++)
		for (uint32_t s = 0; s < a.parts[i].nr; s++)
			nr += a.parts[i].items[s].nr_samples;
	aggregate_release(&a);
	symbols_free(symbols);
	tasks_free(tasks);
	damage_release(&damage);
	chunk_table_close(&table);
	made_capture_release(&m);
	return nr;
}

Test(progress, of_counting_ends_with_all_of_it)
{
	struct progress p;
	struct ts_error err;

	cr_assert_eq(progress_init(&p, &err), 0);
	cr_expect_eq(count(&p), 10);
	cr_expect_eq(progress_percent(&p), 100);
	cr_expect_eq(p.done_bytes, p.total_bytes);
	progress_release(&p);
}

Test(progress, that_is_stopped_takes_no_further_chunk)
{
	struct progress p;
	struct ts_error err;

	cr_assert_eq(progress_init(&p, &err), 0);
	ts_stop_raise(&p.stop);
	cr_expect_eq(count(&p), 0);
	cr_expect_eq(progress_percent(&p), 0);
	progress_release(&p);
}

Test(progress, tells_what_is_waited_for_in_place_of_the_pace)
{
	struct progress_facts waiting = facts;

	waiting.aside = "asking a server";
	cr_assert_not_null(strstr(progress_text(text, &waiting, 200), " MB, asking a server"));
	cr_assert_null(strstr(text, "MB/s"));
	cr_assert_null(strstr(text, "left"));
}
