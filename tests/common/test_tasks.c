// SPDX-License-Identifier: Apache-2.0
#include "common/tasks.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support/task_records.h"

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL
#define LATEST UINT64_MAX
#define EXEC   (PROT_READ | PROT_EXEC)

static struct ts_bytes records; /* of the running test; Criterion gives each its own process */

static struct record_at at(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return (struct record_at){.pid = pid, .tid = tid, .time_ns = time_ns};
}

static void comm(uint32_t pid, uint32_t tid, uint64_t time_ns, const char *name)
{
	struct record_at where = at(pid, tid, time_ns);

	put_comm(&records, &where, 0, name);
}

static void exec_as(uint32_t pid, uint64_t time_ns, const char *name)
{
	struct record_at where = at(pid, pid, time_ns);

	put_comm(&records, &where, PERF_RECORD_MISC_COMM_EXEC, name);
}

static void forks(uint32_t parent, uint32_t pid, uint64_t time_ns)
{
	struct record_at where = at(pid, pid, time_ns);

	put_fork(&records, &where, 0, parent, parent);
}

static void clones(uint32_t pid, uint32_t parent_tid, uint32_t tid, uint64_t time_ns)
{
	struct record_at where = at(pid, tid, time_ns);

	put_fork(&records, &where, 0, pid, parent_tid);
}

static void map_pages(uint32_t pid, uint64_t time_ns, uint64_t start, uint64_t len,
		      const char *path)
{
	struct record_at where = at(pid, pid, time_ns);
	struct record_range range = {start, len, 0};

	put_mmap2(&records, &where, USER, &range, EXEC, path);
}

static void map_kernel(uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
	struct record_at where = at(TS_PID_KERNEL, 0, 0);
	struct record_range range = {start, len, pgoff};

	put_mmap(&records, &where, KERNEL, &range, path);
}

static void ksymbol(uint64_t time_ns, uint64_t addr, uint16_t flags, const char *name)
{
	struct record_at where = at(TS_PID_KERNEL, 0, time_ns);

	put_ksymbol(&records, &where, addr, 0x100, flags, name);
}

static struct perf_event_attr base_attr(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .sample_type = TASK_RECORDS_SAMPLE_TYPE, .sample_id_all = 1};

	return attr;
}

/* Applies all records of the test. */
static struct ts_tasks *applied(void)
{
	struct perf_event_attr attr = base_attr();
	struct ts_tasks *tasks = ts_tasks_new();
	struct ts_events evs = {0};
	struct ts_sample_id sid;
	struct ts_error err;

	cr_assert_eq(ts_events_add(&evs, &attr, "e", NULL, 0, &err), 0);
	cr_assert_eq(ts_events_index(&evs, &err), 0);
	for (size_t pos = 0; pos < records.len;) {
		const void *hdr = records.data + pos;

		cr_assert_eq(ts_decode_trailer(&evs, hdr, &sid), TS_DECODE_OK);
		cr_assert_eq(ts_tasks_apply(tasks, hdr, &sid), 0);
		pos += ts_load_header(hdr).size;
	}
	ts_events_release(&evs);
	cr_assert_eq(ts_tasks_freeze(tasks, &err), 0);
	return tasks;
}

static void expect_comm(const struct ts_tasks *tasks, uint32_t tid, uint64_t time_ns,
			const char *name)
{
	const char *got = ts_tasks_comm(tasks, tid, time_ns);

	if (name)
		cr_assert_str_eq(got ? got : "(none)", name, "tid %u at %lu", tid, time_ns);
	else
		cr_assert_null(got);
}

static const char *path_at(const struct ts_tasks *tasks, uint32_t pid, uint64_t addr,
			   uint64_t time_ns)
{
	const struct ts_map *map = ts_tasks_map(tasks, pid, addr, time_ns);

	return map ? ts_tasks_dso(tasks, map->dso)->path : NULL;
}

static void expect_path(const struct ts_tasks *tasks, uint32_t pid, uint64_t addr, uint64_t time_ns,
			const char *path)
{
	const char *got = path_at(tasks, pid, addr, time_ns);

	cr_assert_str_eq(got ? got : "(none)", path, "pid %u, 0x%lx at %lu", pid, addr, time_ns);
}

/* --- names --- */

Test(tasks, gives_the_name_of_each_time)
{
	struct ts_tasks *tasks;

	comm(5, 5, 0, "first");
	comm(5, 5, 100, "second");
	comm(5, 5, 200, "first");
	tasks = applied();
	expect_comm(tasks, 5, 0, "first");
	expect_comm(tasks, 5, 99, "first");
	expect_comm(tasks, 5, 100, "second");
	expect_comm(tasks, 5, LATEST, "first");
	expect_comm(tasks, 6, LATEST, NULL);
	ts_tasks_free(tasks);
}

Test(tasks, calls_the_idle_task_swapper)
{
	struct ts_tasks *tasks = applied();

	expect_comm(tasks, 0, 0, "swapper");
	ts_tasks_free(tasks);
}

Test(tasks, gives_a_child_the_name_its_parent_has_at_the_fork)
{
	struct ts_tasks *tasks;

	comm(5, 5, 0, "sh");
	forks(5, 6, 100);
	exec_as(6, 110, "ls");
	comm(5, 5, 120, "renamed");
	forks(5, 7, 130);
	tasks = applied();
	expect_comm(tasks, 6, 99, NULL);
	expect_comm(tasks, 6, 100, "sh");
	expect_comm(tasks, 6, 110, "ls");
	expect_comm(tasks, 7, 130, "renamed");
	ts_tasks_free(tasks);
}

Test(tasks, names_threads_apart_from_their_process)
{
	struct ts_tasks *tasks;

	comm(5, 5, 0, "main");
	clones(5, 5, 51, 10);
	comm(5, 51, 20, "worker");
	clones(5, 51, 52, 30);
	tasks = applied();
	expect_comm(tasks, 51, 15, "main");
	expect_comm(tasks, 51, 20, "worker");
	expect_comm(tasks, 52, 30, "worker");
	expect_comm(tasks, 5, LATEST, "main");
	ts_tasks_free(tasks);
}

Test(tasks, keeps_the_name_after_the_exit)
{
	struct record_at where = at(5, 5, 50);
	struct ts_tasks *tasks;

	comm(5, 5, 0, "gone");
	map_pages(5, 0, 0x1000, 0x1000, "/bin/gone");
	put_exit(&records, &where);
	tasks = applied();
	expect_comm(tasks, 5, 60, "gone");
	expect_path(tasks, 5, 0x1800, 60, "/bin/gone");
	ts_tasks_free(tasks);
}

Test(tasks, forgets_the_name_of_a_thread_that_has_another_process_as_parent)
{
	struct record_at where = at(9, 9, 100);
	struct ts_tasks *tasks;

	comm(5, 8, 0, "stale");
	map_pages(8, 0, 0x1000, 0x1000, "/bin/stale");
	put_fork(&records, &where, 0, 8, 8);
	tasks = applied();
	expect_comm(tasks, 8, 99, "stale");
	expect_comm(tasks, 8, 100, NULL);
	expect_comm(tasks, 9, 100, NULL);
	cr_assert_null(path_at(tasks, 9, 0x1000, LATEST));
	ts_tasks_free(tasks);
}

/* --- maps --- */

Test(tasks, gives_the_last_name_of_a_thread_whose_tid_is_used_again)
{
	struct ts_tasks *tasks;

	comm(1, 1, 0, "shell");
	forks(1, 7, 10);
	exec_as(7, 11, "first");
	comm(7, 7, 12, "at-last");
	forks(1, 7, 20);
	exec_as(7, 21, "second");
	tasks = applied();
	cr_expect_str_eq(ts_tasks_last_comm(tasks, 7, 10), "at-last");
	cr_expect_str_eq(ts_tasks_last_comm(tasks, 7, 19), "at-last");
	cr_expect_str_eq(ts_tasks_last_comm(tasks, 7, 20), "second");
	cr_expect_null(ts_tasks_last_comm(tasks, 7, 9));
	cr_expect_null(ts_tasks_last_comm(tasks, 8, 9));
	ts_tasks_free(tasks);
}

Test(tasks, finds_the_map_at_both_of_its_ends)
{
	struct ts_tasks *tasks;

	map_pages(5, 10, 0x1000, 0x2000, "/bin/a");
	tasks = applied();
	cr_assert_null(path_at(tasks, 5, 0xfff, LATEST));
	expect_path(tasks, 5, 0x1000, LATEST, "/bin/a");
	expect_path(tasks, 5, 0x2fff, 10, "/bin/a");
	cr_assert_null(path_at(tasks, 5, 0x3000, LATEST));
	cr_assert_null(path_at(tasks, 5, 0x1000, 9));
	cr_assert_null(path_at(tasks, 6, 0x1000, LATEST));
	ts_tasks_free(tasks);
}

Test(tasks, keeps_both_sides_of_a_map_that_another_splits)
{
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x9000, "/lib/old");
	map_pages(5, 50, 0x4000, 0x1000, "/lib/new");
	tasks = applied();
	expect_path(tasks, 5, 0x3fff, 50, "/lib/old");
	expect_path(tasks, 5, 0x4000, 50, "/lib/new");
	expect_path(tasks, 5, 0x5000, 50, "/lib/old");
	expect_path(tasks, 5, 0x4000, 49, "/lib/old");
	cr_assert_eq(ts_tasks_map(tasks, 5, 0x5000, 50)->start, 0x1000, "as it was recorded");
	ts_tasks_free(tasks);
}

Test(tasks, lets_a_data_map_take_the_place_of_code)
{
	struct record_at where = at(5, 5, 10);
	struct record_range range = {0x2000, 0x1000, 0};
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x4000, "/bin/code");
	put_mmap(&records, &where, USER | PERF_RECORD_MISC_MMAP_DATA, &range, "/bin/data");
	tasks = applied();
	expect_path(tasks, 5, 0x2000, 10, "/bin/data");
	expect_path(tasks, 5, 0x3000, 10, "/bin/code");
	cr_assert_eq(ts_tasks_map(tasks, 5, 0x2000, 10)->prot & PROT_EXEC, 0);
	ts_tasks_free(tasks);
}

Test(tasks, shares_maps_between_the_threads_of_a_process)
{
	struct record_at worker = at(5, 51, 30);
	struct record_range range = {0x8000, 0x1000, 0};
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	clones(5, 5, 51, 20);
	put_mmap2(&records, &worker, USER, &range, EXEC, "/lib/plugin");
	tasks = applied();
	expect_path(tasks, 5, 0x8000, 30, "/lib/plugin");
	expect_path(tasks, 5, 0x1000, 30, "/bin/a");
	ts_tasks_free(tasks);
}

Test(tasks, gives_a_child_the_maps_its_parent_has_at_the_fork)
{
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	forks(5, 6, 10);
	map_pages(5, 20, 0x5000, 0x1000, "/lib/later");
	map_pages(6, 30, 0x1000, 0x1000, "/lib/mine");
	forks(6, 7, 40);
	tasks = applied();
	cr_assert_null(path_at(tasks, 6, 0x1000, 9));
	expect_path(tasks, 6, 0x1000, 10, "/bin/a");
	cr_assert_null(path_at(tasks, 6, 0x5000, LATEST));
	expect_path(tasks, 6, 0x1000, 30, "/lib/mine");
	expect_path(tasks, 5, 0x1000, LATEST, "/bin/a");
	expect_path(tasks, 7, 0x1000, 40, "/lib/mine");
	ts_tasks_free(tasks);
}

Test(tasks, copies_no_maps_for_a_fork_that_was_synthesized)
{
	struct record_at where = at(6, 6, 0);
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	put_fork(&records, &where, PERF_RECORD_MISC_FORK_EXEC, 5, 5);
	tasks = applied();
	cr_assert_null(path_at(tasks, 6, 0x1000, LATEST));
	ts_tasks_free(tasks);
}

Test(tasks, keeps_the_maps_over_an_exec_until_others_take_their_places)
{
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/sh");
	map_pages(5, 0, 0x7000, 0x1000, "/lib/libc");
	exec_as(5, 10, "ls");
	map_pages(5, 11, 0x1000, 0x1000, "/bin/ls");
	tasks = applied();
	expect_path(tasks, 5, 0x1000, 10, "/bin/sh");
	expect_path(tasks, 5, 0x1000, 11, "/bin/ls");
	expect_path(tasks, 5, 0x7000, 11, "/lib/libc");
	ts_tasks_free(tasks);
}

Test(tasks, starts_anew_when_a_pid_is_used_again)
{
	struct record_at where = at(5, 5, 50);
	struct ts_tasks *tasks;

	comm(1, 1, 0, "init");
	comm(5, 5, 0, "old");
	map_pages(5, 0, 0x1000, 0x1000, "/bin/old");
	put_exit(&records, &where);
	forks(1, 5, 100);
	map_pages(5, 110, 0x2000, 0x1000, "/bin/new");
	tasks = applied();
	expect_comm(tasks, 5, 99, "old");
	expect_comm(tasks, 5, 100, "init");
	expect_path(tasks, 5, 0x1000, 99, "/bin/old");
	cr_assert_null(path_at(tasks, 5, 0x1000, 100));
	expect_path(tasks, 5, 0x2000, 110, "/bin/new");
	ts_tasks_free(tasks);
}

Test(tasks, tells_equal_paths_apart_by_build_id)
{
	struct record_range low = {0x1000, 0x1000, 0}, high = {0x3000, 0x1000, 0x40};
	struct record_at where = at(5, 5, 0);
	const struct ts_map *a, *b;
	struct ts_tasks *tasks;

	put_mmap2_build_id(&records, &where, &low, 0xaa, "/lib/x");
	put_mmap2_build_id(&records, &where, &high, 0xbb, "/lib/x");
	map_pages(6, 0, 0x1000, 0x1000, "/lib/x");
	map_pages(7, 0, 0x1000, 0x1000, "/lib/x");
	tasks = applied();
	a = ts_tasks_map(tasks, 5, 0x1000, 0);
	b = ts_tasks_map(tasks, 5, 0x3000, 0);
	cr_assert_neq(a->dso, b->dso);
	cr_assert_eq(ts_tasks_dso(tasks, a->dso)->build_id[19], 0xaa);
	cr_assert_eq(ts_tasks_dso(tasks, b->dso)->build_id_bytes, 20);
	cr_assert_eq(b->pgoff, 0x40);
	cr_assert_eq(ts_tasks_map(tasks, 6, 0x1000, 0)->dso,
		     ts_tasks_map(tasks, 7, 0x1000, 0)->dso);
	cr_assert_eq(ts_tasks_nr_dsos(tasks), 3);
	ts_tasks_free(tasks);
}

Test(tasks, ignores_maps_of_guests_and_ranges_that_wrap)
{
	struct record_range range = {0x1000, 0x1000, 0}, wraps = {UINT64_MAX - 5, 10, 0};
	struct record_at where = at(5, 5, 0), kernel = at(TS_PID_KERNEL, 0, 0);
	struct ts_tasks *tasks;

	put_mmap(&records, &where, PERF_RECORD_MISC_GUEST_USER, &range, "/guest");
	put_mmap(&records, &kernel, PERF_RECORD_MISC_GUEST_KERNEL, &range, "[guest.kernel]");
	put_mmap(&records, &where, USER, &wraps, "/wraps");
	map_pages(5, 0, 0x2000, 0, "/empty");
	tasks = applied();
	cr_assert_null(ts_tasks_map(tasks, 5, 0x1000, LATEST));
	cr_assert_null(ts_tasks_map(tasks, TS_PID_KERNEL, 0x1000, LATEST));
	cr_assert_null(ts_tasks_map(tasks, 5, UINT64_MAX - 2, LATEST));
	cr_assert_null(ts_tasks_map(tasks, 5, 0x2000, LATEST));
	ts_tasks_free(tasks);
}

/* --- the kernel --- */

Test(tasks, finds_kernel_and_modules_whatever_the_process)
{
	const struct ts_map *map;
	struct ts_tasks *tasks;

	map_kernel(0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	map_kernel(0xffffffffc0000000, 0x5000, 0, "/lib/modules/6.1/ext4.ko");
	tasks = applied();
	map = ts_tasks_map(tasks, TS_PID_KERNEL, 0xffffffff81234567, 0);
	cr_assert(map->is_kernel && ts_tasks_dso(tasks, map->dso)->is_kernel);
	cr_assert_eq(map->pgoff, 0xffffffff81000000);
	expect_path(tasks, TS_PID_KERNEL, 0xffffffffc0000000, 0, "/lib/modules/6.1/ext4.ko");
	cr_assert_null(ts_tasks_map(tasks, 5, 0xffffffff81234567, 0));
	ts_tasks_free(tasks);
}

Test(tasks, takes_a_kernel_without_addresses_for_all_of_them)
{
	struct ts_tasks *tasks;

	map_kernel(0, 0, 0, "[kernel.kallsyms]_text");
	tasks = applied();
	expect_path(tasks, TS_PID_KERNEL, 0xffffffff81234567, 0, "[kernel.kallsyms]_text");
	ts_tasks_free(tasks);
}

Test(tasks, knows_a_bpf_program_while_it_is_loaded)
{
	uint64_t prog = 0xffffffffc0100000;
	struct ts_tasks *tasks;

	ksymbol(10, prog, 0, "bpf_prog_1_a");
	ksymbol(20, prog, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_1_a");
	ksymbol(30, prog, 0, "bpf_prog_2_b");
	tasks = applied();
	cr_assert_null(ts_tasks_map(tasks, TS_PID_KERNEL, prog, 9));
	expect_path(tasks, TS_PID_KERNEL, prog + 0xff, 10, "bpf_prog_1_a");
	cr_assert_null(ts_tasks_map(tasks, TS_PID_KERNEL, prog, 20));
	expect_path(tasks, TS_PID_KERNEL, prog, 30, "bpf_prog_2_b");
	cr_assert_null(ts_tasks_map(tasks, TS_PID_KERNEL, prog + 0x100, 30));
	ts_tasks_free(tasks);
}

Test(tasks, leaves_a_ksymbol_inside_the_kernel_to_the_kernel)
{
	struct ts_tasks *tasks;

	map_kernel(0x10000, 0x1000, 0x10000, "[kernel.kallsyms]_text");
	ksymbol(10, 0x10100, 0, "kprobe_insn_page");
	ksymbol(20, 0x10100, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "kprobe_insn_page");
	tasks = applied();
	expect_path(tasks, TS_PID_KERNEL, 0x10100, 10, "[kernel.kallsyms]_text");
	expect_path(tasks, TS_PID_KERNEL, 0x10100, 20, "[kernel.kallsyms]_text");
	ts_tasks_free(tasks);
}

/* --- moments --- */

static struct ts_moment moment_of(const struct ts_tasks *tasks, uint32_t pid, uint32_t tid,
				  uint64_t time_ns)
{
	struct ts_moment m;

	ts_tasks_moment(tasks, pid, tid, time_ns, &m);
	cr_assert(m.from_ns <= time_ns && time_ns < m.until_ns);
	return m;
}

Test(tasks, tells_for_how_long_names_and_maps_stay)
{
	struct ts_moment m;
	struct ts_tasks *tasks;

	comm(5, 5, 0, "a");
	map_pages(5, 10, 0x1000, 0x1000, "/bin/a");
	comm(5, 5, 20, "b");
	map_pages(5, 30, 0x2000, 0x1000, "/bin/b");
	tasks = applied();
	m = moment_of(tasks, 5, 5, 15);
	cr_assert_eq(m.from_ns, 10);
	cr_assert_eq(m.until_ns, 20);
	cr_assert_str_eq(m.comm, "a");
	cr_assert_eq(m.space, moment_of(tasks, 5, 5, 25).space);
	cr_assert_neq(m.space, moment_of(tasks, 5, 5, 30).space);
	cr_assert_eq(moment_of(tasks, 5, 5, 30).until_ns, UINT64_MAX);
	cr_assert_eq(moment_of(tasks, 99, 99, 30).space, 0);
	ts_tasks_free(tasks);
}

Test(tasks, gives_a_fork_the_identity_of_its_parents_maps)
{
	struct ts_tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	forks(5, 6, 10);
	forks(6, 7, 20);
	map_pages(6, 30, 0x1000, 0x1000, "/bin/b");
	tasks = applied();
	cr_assert_eq(moment_of(tasks, 7, 7, 50).space, moment_of(tasks, 5, 5, 50).space);
	cr_assert_eq(moment_of(tasks, 6, 6, 29).space, moment_of(tasks, 5, 5, 0).space);
	cr_assert_neq(moment_of(tasks, 6, 6, 30).space, moment_of(tasks, 5, 5, 0).space);
	cr_assert_eq(moment_of(tasks, 6, 6, 15).until_ns, 30);
	ts_tasks_free(tasks);
}

Test(tasks, tells_for_how_long_the_kernel_stays)
{
	struct ts_moment m;
	struct ts_tasks *tasks;

	map_kernel(0x10000, 0x1000, 0x10000, "[kernel.kallsyms]_text");
	ksymbol(10, 0x20000, 0, "bpf_prog_1_a");
	tasks = applied();
	m = moment_of(tasks, TS_PID_KERNEL, 0, 5);
	cr_assert_eq(m.until_ns, 10);
	cr_assert_neq(m.space, moment_of(tasks, TS_PID_KERNEL, 0, 10).space);
	cr_assert_neq(m.space, 0);
	ts_tasks_free(tasks);
}

/* --- hostile records --- */

static int apply_cut(const struct ts_bytes *b, size_t size)
{
	struct ts_tasks *tasks = ts_tasks_new();
	uint8_t *copy = malloc(size + 1);
	struct ts_sample_id sid = {0};
	uint16_t size16 = (uint16_t)size;
	int ret;

	memcpy(copy + 1, b->data, size);
	memcpy(copy + 1 + 6, &size16, sizeof(size16));
	ret = ts_tasks_apply(tasks, (const void *)(copy + 1), &sid);
	free(copy);
	ts_tasks_free(tasks);
	return ret;
}

/* `fields` bytes, NUL of the name included, are needed. */
static void expect_bad_below(size_t fields)
{
	for (size_t size = 8; size < records.len; size++)
		cr_assert_eq(apply_cut(&records, size), size < fields ? -EINVAL : 0, "size %zu",
			     size);
	ts_bytes_clear(&records);
}

Test(tasks, refuses_every_record_that_is_cut)
{
	struct record_range range = {0x1000, 0x1000, 0};
	struct record_at where = at(5, 5, 0);

	comm(5, 5, 0, "abc");
	expect_bad_below(16 + 4);
	forks(5, 6, 0);
	expect_bad_below(32);
	put_mmap(&records, &where, USER, &range, "/abc");
	expect_bad_below(40 + 5);
	map_pages(5, 0, 0x1000, 0x1000, "/abc");
	expect_bad_below(72 + 5);
	ksymbol(0, 0x1000, 0, "abc");
	expect_bad_below(24 + 4);
}

Test(tasks, refuses_a_build_id_that_is_too_long)
{
	struct record_range range = {0x1000, 0x1000, 0};
	struct record_at where = at(5, 5, 0);

	put_mmap2_build_id(&records, &where, &range, 0xaa, "/lib/x");
	records.data[40] = 21;
	cr_assert_eq(apply_cut(&records, records.len), -EINVAL);
}

Test(tasks, does_not_go_back_in_time)
{
	struct ts_tasks *tasks;

	comm(5, 5, 100, "a");
	comm(5, 5, 50, "b");
	comm(5, 5, UINT64_MAX, "c");
	comm(5, 5, 110, "d");
	tasks = applied();
	expect_comm(tasks, 5, 99, NULL);
	expect_comm(tasks, 5, 100, "c");
	expect_comm(tasks, 5, 110, "d");
	ts_tasks_free(tasks);
}
