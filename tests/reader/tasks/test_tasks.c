// SPDX-License-Identifier: Apache-2.0
#include "reader/tasks/tasks.h"

#include "tests/support/task_scene.h"

/* --- moments --- */

static struct task_moment moment_of(const struct tasks *tasks, uint32_t pid, uint32_t tid,
				    uint64_t time_ns)
{
	struct task_moment m;

	tasks_moment(tasks, pid, tid, time_ns, &m);
	cr_assert(m.from_ns <= time_ns && time_ns < m.until_ns);
	return m;
}

Test(tasks, tells_for_how_long_names_and_maps_stay)
{
	struct task_moment m;
	struct tasks *tasks;

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
	tasks_free(tasks);
}

Test(tasks, gives_a_fork_the_identity_of_its_parents_maps)
{
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	forks(5, 6, 10);
	forks(6, 7, 20);
	map_pages(6, 30, 0x1000, 0x1000, "/bin/b");
	tasks = applied();
	cr_assert_eq(moment_of(tasks, 7, 7, 50).space, moment_of(tasks, 5, 5, 50).space);
	cr_assert_eq(moment_of(tasks, 6, 6, 29).space, moment_of(tasks, 5, 5, 0).space);
	cr_assert_neq(moment_of(tasks, 6, 6, 30).space, moment_of(tasks, 5, 5, 0).space);
	cr_assert_eq(moment_of(tasks, 6, 6, 15).until_ns, 30);
	tasks_free(tasks);
}

Test(tasks, tells_for_how_long_the_kernel_stays)
{
	struct task_moment m;
	struct tasks *tasks;

	map_kernel(0x10000, 0x1000, 0x10000, "[kernel.kallsyms]_text");
	ksymbol(10, 0x20000, 0, "bpf_prog_1_a");
	tasks = applied();
	m = moment_of(tasks, TASK_PID_KERNEL, 0, 5);
	cr_assert_eq(m.until_ns, 10);
	cr_assert_neq(m.space, moment_of(tasks, TASK_PID_KERNEL, 0, 10).space);
	cr_assert_neq(m.space, 0);
	tasks_free(tasks);
}

/* --- hostile records --- */

static int apply_cut(const struct ts_bytes *b, size_t size)
{
	struct tasks *tasks = tasks_new(NULL);
	uint8_t *copy = malloc(size + 1);
	struct ts_sample_id sid = {0};
	uint16_t size16 = (uint16_t)size;
	int ret;

	memcpy(copy + 1, b->data, size);
	memcpy(copy + 1 + 6, &size16, sizeof(size16));
	ret = tasks_apply(tasks, (const void *)(copy + 1), &sid);
	free(copy);
	tasks_free(tasks);
	return ret;
}

/* `fields` bytes are needed, including the NUL of the name. */
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
	struct tasks *tasks;

	comm(5, 5, 100, "a");
	comm(5, 5, 50, "b");
	comm(5, 5, UINT64_MAX, "c");
	comm(5, 5, 110, "d");
	tasks = applied();
	expect_comm(tasks, 5, 99, NULL);
	expect_comm(tasks, 5, 100, "c");
	expect_comm(tasks, 5, 110, "d");
	tasks_free(tasks);
}
