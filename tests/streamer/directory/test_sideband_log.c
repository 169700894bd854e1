// SPDX-License-Identifier: Apache-2.0
/* Which records of a log go on: runs that are known stand for what is read of streams. */
#include "streamer/directory/sideband_log.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/perf/record.h"

#define TRAILER 32

static struct sideband_log story;
static struct needed_tasks needed;
static struct ts_bytes run, tasks, others;

static void set_up(void)
{
	cr_assert_eq(needed_tasks_init(&needed), 0);
}

static void tear_down(void)
{
	sideband_log_release(&story);
	needed_tasks_release(&needed);
	ts_bytes_release(&run);
	ts_bytes_release(&tasks);
	ts_bytes_release(&others);
}

TestSuite(sideband_log, .init = set_up, .fini = tear_down);

/* A record of these fields and of that time. */
static void tell(uint32_t type, uint16_t misc, uint64_t time_ns, const uint32_t *fields, size_t nr)
{
	uint8_t record[128] = {0};
	struct perf_event_header hdr = {.type = type, .misc = misc};

	hdr.size = (uint16_t)(sizeof(hdr) + nr * 4 + TRAILER);
	memcpy(record, &hdr, sizeof(hdr));
	memcpy(record + sizeof(hdr), fields, nr * 4);
	memcpy(record + hdr.size - 24, &time_ns, sizeof(time_ns));
	ts_bytes_put(&run, record, hdr.size);
}

static void comm(uint32_t pid, uint16_t misc, uint64_t time_ns)
{
	tell(PERF_RECORD_COMM, misc, time_ns, (uint32_t[]){pid, pid, 'x', 0}, 4);
}

static void fork_process(uint32_t pid, uint32_t ppid, uint64_t time_ns)
{
	tell(PERF_RECORD_FORK, 0, time_ns, (uint32_t[]){pid, ppid, pid, ppid, 0, 0}, 6);
}

static void know(void)
{
	sideband_log_know(&story, run.data, run.len);
}

/* How many of the records in `tasks` are of that process. */
static size_t told(uint32_t pid)
{
	size_t nr = 0;

	for (size_t at = 0; at < tasks.len; at += ts_record_load_header(tasks.data + at).size)
		nr += ts_record_load_u32(tasks.data + at + 8) == pid;
	return nr;
}

static void put(void)
{
	sideband_log_add_parents(&story, &needed);
	sideband_log_put(&story, &needed, &tasks, &others);
}

Test(sideband_log, tells_of_needed_processes_alone)
{
	comm(7, 0, 0);
	comm(8, 0, 0);
	comm(7, 0, 20);
	comm(8, 0, 30);
	know();
	needed_tasks_add(&needed, 7, 25);
	put();
	cr_expect_eq(told(7), 2);
	cr_expect_eq(told(8), 0);
}

Test(sideband_log, needs_those_that_a_process_was_forked_from)
{
	comm(5, 0, 0);
	comm(6, 0, 0);
	fork_process(7, 6, 10);
	fork_process(8, 7, 20);
	know();
	needed_tasks_add(&needed, 8, 30);
	put();
	cr_expect_eq(told(6), 1);
	cr_expect_eq(told(7), 1);
	cr_expect_eq(told(8), 1);
	cr_expect_eq(told(5), 0);
}

Test(sideband_log, does_not_need_the_parent_of_who_executed_before_its_samples)
{
	comm(6, 0, 0);
	fork_process(7, 6, 10);
	comm(7, PERF_RECORD_MISC_COMM_EXEC, 20);
	know();
	needed_tasks_add(&needed, 7, 30);
	put();
	cr_expect_eq(told(6), 0);
	cr_expect_eq(told(7), 2);
}

Test(sideband_log, needs_the_parent_of_who_has_samples_from_before_it_executed)
{
	comm(6, 0, 0);
	fork_process(7, 6, 10);
	comm(7, PERF_RECORD_MISC_COMM_EXEC, 20);
	know();
	needed_tasks_add(&needed, 7, 30);
	needed_tasks_add(&needed, 7, 15);
	put();
	cr_expect_eq(told(6), 1);
}

/* It forked before it executed, so what it was before is needed for the child. */
Test(sideband_log, needs_what_a_process_was_when_it_forked)
{
	comm(6, 0, 0);
	fork_process(7, 6, 10);
	fork_process(8, 7, 15);
	comm(7, PERF_RECORD_MISC_COMM_EXEC, 20);
	know();
	needed_tasks_add(&needed, 7, 30);
	needed_tasks_add(&needed, 8, 30);
	put();
	cr_expect_eq(told(6), 1);
}

Test(sideband_log, needs_all_where_nothing_is_known_of_samples)
{
	comm(6, 0, 0);
	comm(7, 0, 5);
	know();
	needed_tasks_release(&needed);
	put();
	cr_expect_eq(told(6) + told(7), 2);
}

Test(sideband_log, leaves_to_others_what_they_know_of_programs)
{
	tell(PERF_RECORD_BPF_EVENT, 0, 5, (uint32_t[]){1, 42, 0, 0}, 4);
	know();
	put();
	cr_expect_eq(tasks.len + others.len, 0);
}
