/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lives of tasks, one record after the other, for tests of names and maps:
 *
 *	comm(5, 5, 10, "a");
 *	forks(5, 6, 20);
 *	tasks = applied();
 *	expect_comm(tasks, 6, 20, "a");
 *
 * Threads: one.
 */
#ifndef TS_TESTS_SUPPORT_TASK_SCENE_H
#define TS_TESTS_SUPPORT_TASK_SCENE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "reader/tasks/tasks.h"
#include "tests/support/task_records.h"

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL
#define LATEST UINT64_MAX
#define EXEC   (PROT_READ | PROT_EXEC)

static struct ts_bytes records; /* of the running test; Criterion gives each its own process */

static inline struct record_at at(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return (struct record_at){.pid = pid, .tid = tid, .time_ns = time_ns};
}

static inline void comm(uint32_t pid, uint32_t tid, uint64_t time_ns, const char *name)
{
	struct record_at where = at(pid, tid, time_ns);

	put_comm(&records, &where, 0, name);
}

static inline void exec_as(uint32_t pid, uint64_t time_ns, const char *name)
{
	struct record_at where = at(pid, pid, time_ns);

	put_comm(&records, &where, PERF_RECORD_MISC_COMM_EXEC, name);
}

static inline void forks(uint32_t parent, uint32_t pid, uint64_t time_ns)
{
	struct record_at where = at(pid, pid, time_ns);

	put_fork(&records, &where, 0, parent, parent);
}

static inline void clones(uint32_t pid, uint32_t parent_tid, uint32_t tid, uint64_t time_ns)
{
	struct record_at where = at(pid, tid, time_ns);

	put_fork(&records, &where, 0, pid, parent_tid);
}

static inline void map_pages(uint32_t pid, uint64_t time_ns, uint64_t start, uint64_t len,
			     const char *path)
{
	struct record_at where = at(pid, pid, time_ns);
	struct record_range range = {start, len, 0};

	put_mmap2(&records, &where, USER, &range, EXEC, path);
}

static inline void map_kernel(uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
	struct record_at where = at(TASK_PID_KERNEL, 0, 0);
	struct record_range range = {start, len, pgoff};

	put_mmap(&records, &where, KERNEL, &range, path);
}

static inline void ksymbol(uint64_t time_ns, uint64_t addr, uint16_t flags, const char *name)
{
	struct record_at where = at(TASK_PID_KERNEL, 0, time_ns);

	put_ksymbol(&records, &where, addr, 0x100, flags, name);
}

static inline struct perf_event_attr base_attr(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .sample_type = TASK_RECORDS_SAMPLE_TYPE, .sample_id_all = 1};

	return attr;
}

/* Applies all records that the test has put since the last call. */
static inline void apply_to(struct tasks *tasks)
{
	struct perf_event_attr attr = base_attr();
	struct ts_events evs = {0};
	struct ts_sample_id sid;
	struct ts_error err;

	cr_assert_eq(ts_events_add(&evs, &attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	for (size_t pos = 0; pos < records.len;) {
		const void *hdr = records.data + pos;

		cr_assert_eq(ts_decode_trailer(&evs, hdr, &sid), TS_DECODE_OK);
		cr_assert_eq(tasks_apply(tasks, hdr, &sid), 0);
		pos += ts_record_load_header(hdr).size;
	}
	ts_events_release(&evs);
	records.len = 0;
	cr_assert_eq(tasks_freeze(tasks, &err), 0);
}

static inline struct tasks *applied(void)
{
	struct tasks *tasks = tasks_new(NULL);

	apply_to(tasks);
	return tasks;
}

static inline void expect_comm(const struct tasks *tasks, uint32_t tid, uint64_t time_ns,
			       const char *name)
{
	const char *got = tasks_comm(tasks, tid, time_ns);

	if (name)
		cr_assert_str_eq(got ? got : "(none)", name, "tid %u at %lu", tid, time_ns);
	else
		cr_assert_null(got);
}

static inline const char *path_at(const struct tasks *tasks, uint32_t pid, uint64_t addr,
				  uint64_t time_ns)
{
	const struct task_map *map = tasks_map(tasks, pid, addr, time_ns);

	return map ? tasks_dso(tasks, map->dso)->path : NULL;
}

static inline void expect_path(const struct tasks *tasks, uint32_t pid, uint64_t addr,
			       uint64_t time_ns, const char *path)
{
	const char *got = path_at(tasks, pid, addr, time_ns);

	cr_assert_str_eq(got ? got : "(none)", path, "pid %u, 0x%lx at %lu", pid, addr, time_ns);
}

#endif
