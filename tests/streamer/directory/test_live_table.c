// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <string.h>

#include "common/perf/record.h"
#include "streamer/directory/live_table.h"

#define TRAILER 32

static struct live_table *table;
static struct ts_bytes tasks, others;

static void set_up(void)
{
	table = live_table_new(TRAILER);
	cr_assert(table);
}

static void tear_down(void)
{
	live_table_free(table);
	ts_bytes_release(&tasks);
	ts_bytes_release(&others);
}

TestSuite(live_table, .init = set_up, .fini = tear_down);

/* A record of these 32-bit fields, and text behind them where there is any; its trailer is not zero. */
static void apply(uint32_t type, uint16_t misc, uint64_t time_ns, const uint32_t *fields, size_t nr,
		  const char *text)
{
	_Alignas(8) uint8_t record[256];
	struct perf_event_header hdr = {.type = type, .misc = misc};
	size_t len = sizeof(hdr) + nr * 4, text_bytes = text ? (strlen(text) / 8 + 1) * 8 : 0;

	memset(record, 0, sizeof(record));
	hdr.size = (uint16_t)(len + text_bytes + TRAILER);
	memcpy(record, &hdr, sizeof(hdr));
	memcpy(record + sizeof(hdr), fields, nr * 4);
	if (text)
		strcpy((char *)record + len, text);
	memset(record + len + text_bytes, 0x77, TRAILER);
	cr_assert_eq(live_table_apply(table, (struct perf_event_header *)record, time_ns), 0);
}

static void comm(uint32_t pid, uint32_t tid, uint16_t misc, const char *name)
{
	apply(PERF_RECORD_COMM, misc, 1, (uint32_t[]){pid, tid}, 2, name);
}

static void fork_task(uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	apply(PERF_RECORD_FORK, 0, 1, (uint32_t[]){pid, ppid, tid, ptid, 5, 0}, 6, NULL);
}

static void exit_task(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	apply(PERF_RECORD_EXIT, 0, time_ns, (uint32_t[]){pid, 1, tid, 1, 5, 0}, 6, NULL);
}

static void map(uint32_t pid, uint32_t start, uint32_t len, const char *path)
{
	uint32_t fields[16] = {pid, pid, start, 0, len};

	apply(PERF_RECORD_MMAP2, 0, 1, fields, 16, path);
}

static void tell(void)
{
	ts_bytes_clear(&tasks);
	ts_bytes_clear(&others);
	live_table_put(table, NULL, &tasks, &others);
	cr_assert(!ts_bytes_failed(&tasks) && !ts_bytes_failed(&others));
}

/* The n-th record of that type for a pid that `tasks` tells of; NULL. */
static const uint8_t *told(uint32_t type, uint32_t pid, size_t n)
{
	for (size_t at = 0; at < tasks.len; at += ts_record_load_u16(tasks.data + at + 6))
		if (ts_record_load_u32(tasks.data + at) == type &&
		    ts_record_load_u32(tasks.data + at + 8) == pid && !n--)
			return tasks.data + at;
	return NULL;
}

static const char *name_of(uint32_t pid, size_t n)
{
	const uint8_t *record = told(PERF_RECORD_COMM, pid, n);

	return record ? (const char *)record + 16 : NULL;
}

Test(live_table, tells_the_last_name_as_if_it_had_been_found_at_the_start)
{
	static const uint8_t zeros[TRAILER];
	const uint8_t *record;

	comm(7, 7, 0, "first");
	comm(7, 7, 0, "second");
	tell();
	cr_expect_str_eq(name_of(7, 0), "second");
	cr_expect_null(name_of(7, 1));
	record = told(PERF_RECORD_COMM, 7, 0);
	cr_expect_eq(memcmp(record + ts_record_load_u16(record + 6) - TRAILER, zeros, TRAILER), 0);
}

Test(live_table, gives_a_forked_process_name_and_maps_of_its_parent)
{
	comm(7, 7, PERF_RECORD_MISC_COMM_EXEC, "parent");
	map(7, 0x1000, 0x1000, "/bin/parent");
	fork_task(8, 8, 7, 7);
	exit_task(7, 7, 10);
	live_table_forget(table, 20);
	tell();
	cr_expect_null(told(PERF_RECORD_COMM, 7, 0));
	cr_expect_str_eq(name_of(8, 0), "parent");
	cr_expect_str_eq((const char *)told(PERF_RECORD_MMAP2, 8, 0) + 72, "/bin/parent");
	cr_expect_eq(ts_record_load_u16(told(PERF_RECORD_FORK, 8, 0) + 4),
		     PERF_RECORD_MISC_FORK_EXEC);
	cr_expect_eq(ts_record_load_u16(told(PERF_RECORD_COMM, 8, 0) + 4), 0);
}

Test(live_table, drops_maps_that_later_ones_cover_and_those_from_before_an_exec)
{
	map(7, 0x1000, 0x1000, "/covered");
	map(7, 0x5000, 0x2000, "/partly");
	map(7, 0x1000, 0x5000, "/over");
	cr_expect_eq(live_table_nr_maps(table), 2);
	comm(7, 7, PERF_RECORD_MISC_COMM_EXEC, "other");
	cr_expect_eq(live_table_nr_maps(table), 0);
}

Test(live_table, keeps_a_process_until_its_last_thread_is_forgotten)
{
	comm(7, 7, 0, "leader");
	fork_task(7, 9, 7, 7);
	map(7, 0x1000, 0x1000, "/bin/x");
	exit_task(7, 7, 10);
	live_table_forget(table, 10);
	cr_expect_eq(live_table_nr_tasks(table), 2);
	live_table_forget(table, 11);
	cr_expect_eq(live_table_nr_tasks(table), 2); /* the first one has the maps */
	cr_expect_eq(live_table_nr_maps(table), 1);
	exit_task(7, 9, 12);
	live_table_forget(table, 13);
	cr_expect_eq(live_table_nr_tasks(table), 0);
	cr_expect_eq(live_table_nr_maps(table), 0);
}

Test(live_table, goes_on_with_a_process_whose_other_thread_executes)
{
	comm(7, 7, 0, "leader");
	fork_task(7, 9, 7, 7);
	exit_task(7, 7, 10);
	comm(7, 7, PERF_RECORD_MISC_COMM_EXEC, "other");
	map(7, 0x1000, 0x1000, "/other");
	live_table_forget(table, 20);
	cr_expect_eq(live_table_nr_tasks(table), 1);
	cr_expect_eq(live_table_nr_maps(table), 1);
}

Test(live_table, begins_a_task_anew_where_its_number_is_reused)
{
	comm(7, 7, 0, "old");
	map(7, 0x1000, 0x1000, "/old");
	exit_task(7, 7, 10);
	fork_task(7, 7, 1, 1);
	live_table_forget(table, 20);
	tell();
	cr_expect_eq(live_table_nr_tasks(table), 1);
	cr_expect_null(name_of(7, 0));
	cr_expect_eq(live_table_nr_maps(table), 0);
}

Test(live_table, tells_of_symbols_and_programs_that_are_still_loaded)
{
	uint32_t symbol[] = {0x4000, 1, 64, 1}, gone[] = {0x4000, 1, 64, 1 | 1u << 16};
	uint32_t loaded[] = {1, 42, 0, 0}, unloaded[] = {2, 42, 0, 0};

	apply(PERF_RECORD_KSYMBOL, 0, 1, symbol, 4, "bpf_prog");
	apply(PERF_RECORD_BPF_EVENT, 0, 1, loaded, 4, NULL);
	apply(PERF_RECORD_CGROUP, 0, 1, (uint32_t[]){3, 0}, 2, "/a");
	tell();
	cr_expect_eq(others.len, (8 + 16 + 16 + TRAILER) + (8 + 16 + TRAILER));
	apply(PERF_RECORD_KSYMBOL, 0, 2, gone, 4, "bpf_prog");
	apply(PERF_RECORD_BPF_EVENT, 0, 2, unloaded, 4, NULL);
	tell();
	cr_expect_eq(others.len, 0);
}

Test(live_table, changes_maps_of_one_process_alone)
{
	map(7, 0x1000, 0x1000, "/a");
	fork_task(8, 8, 7, 7);
	fork_task(9, 9, 8, 8);
	map(8, 0x1000, 0x1000, "/b");
	map(7, 0x3000, 0x1000, "/c");
	comm(9, 9, PERF_RECORD_MISC_COMM_EXEC, "nine");
	tell();
	cr_expect_str_eq((const char *)told(PERF_RECORD_MMAP2, 7, 0) + 72, "/a");
	cr_expect_str_eq((const char *)told(PERF_RECORD_MMAP2, 7, 1) + 72, "/c");
	cr_expect_str_eq((const char *)told(PERF_RECORD_MMAP2, 8, 0) + 72, "/b");
	cr_expect_null(told(PERF_RECORD_MMAP2, 8, 1));
	cr_expect_null(told(PERF_RECORD_MMAP2, 9, 0));
	cr_expect_eq(live_table_nr_maps(table), 3);
}

/* Process 9 has thread 8; then 8 is a process of its own, with thread 6. */
Test(live_table, ends_the_threads_of_who_executes_alone)
{
	comm(9, 9, 0, "nine");
	comm(9, 8, 0, "thread");
	fork_task(8, 8, 9, 9);
	comm(8, 6, 0, "other");
	comm(9, 9, PERF_RECORD_MISC_COMM_EXEC, "new");
	live_table_forget(table, 100);
	cr_expect_eq(live_table_nr_tasks(table), 3);
	comm(8, 8, PERF_RECORD_MISC_COMM_EXEC, "eight");
	live_table_forget(table, 100);
	cr_expect_eq(live_table_nr_tasks(table), 2);
}

Test(live_table, leaves_out_processes_of_which_others_tell)
{
	struct needed_tasks without;

	cr_assert_eq(needed_tasks_init(&without), 0);
	needed_tasks_add(&without, 7, 1);
	comm(7, 7, 0, "seven");
	comm(7, 8, 0, "thread");
	comm(9, 9, 0, "nine");
	map(7, 0x1000, 0x1000, "/a");
	live_table_put(table, &without, &tasks, NULL);
	needed_tasks_release(&without);
	cr_expect_null(told(PERF_RECORD_COMM, 7, 0));
	cr_expect_null(told(PERF_RECORD_MMAP2, 7, 0));
	cr_expect_not_null(told(PERF_RECORD_COMM, 9, 0));
}

Test(live_table, passes_over_what_is_too_short)
{
	_Alignas(8) struct perf_event_header hdr = {.type = PERF_RECORD_FORK, .size = 16};

	cr_expect_eq(live_table_apply(table, &hdr, 1), 0);
	cr_expect_eq(live_table_nr_tasks(table), 0);
}
