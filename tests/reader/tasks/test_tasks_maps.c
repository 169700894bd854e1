// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_scene.h"

Test(tasks_maps, finds_the_map_at_both_of_its_ends)
{
	struct tasks *tasks;

	map_pages(5, 10, 0x1000, 0x2000, "/bin/a");
	tasks = applied();
	cr_assert_null(path_at(tasks, 5, 0xfff, LATEST));
	expect_path(tasks, 5, 0x1000, LATEST, "/bin/a");
	expect_path(tasks, 5, 0x2fff, 10, "/bin/a");
	cr_assert_null(path_at(tasks, 5, 0x3000, LATEST));
	cr_assert_null(path_at(tasks, 5, 0x1000, 9));
	cr_assert_null(path_at(tasks, 6, 0x1000, LATEST));
	tasks_free(tasks);
}

Test(tasks_maps, keeps_both_sides_of_a_map_that_another_splits)
{
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x9000, "/lib/old");
	map_pages(5, 50, 0x4000, 0x1000, "/lib/new");
	tasks = applied();
	expect_path(tasks, 5, 0x3fff, 50, "/lib/old");
	expect_path(tasks, 5, 0x4000, 50, "/lib/new");
	expect_path(tasks, 5, 0x5000, 50, "/lib/old");
	expect_path(tasks, 5, 0x4000, 49, "/lib/old");
	cr_assert_eq(tasks_map(tasks, 5, 0x5000, 50)->start, 0x1000, "as it was recorded");
	tasks_free(tasks);
}

Test(tasks_maps, lets_a_data_map_take_the_place_of_code)
{
	struct record_at where = at(5, 5, 10);
	struct record_range range = {0x2000, 0x1000, 0};
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x4000, "/bin/code");
	put_mmap(&records, &where, USER | PERF_RECORD_MISC_MMAP_DATA, &range, "/bin/data");
	tasks = applied();
	expect_path(tasks, 5, 0x2000, 10, "/bin/data");
	expect_path(tasks, 5, 0x3000, 10, "/bin/code");
	cr_assert_eq(tasks_map(tasks, 5, 0x2000, 10)->prot & PROT_EXEC, 0);
	tasks_free(tasks);
}

Test(tasks_maps, shares_maps_between_the_threads_of_a_process)
{
	struct record_at worker = at(5, 51, 30);
	struct record_range range = {0x8000, 0x1000, 0};
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	clones(5, 5, 51, 20);
	put_mmap2(&records, &worker, USER, &range, EXEC, "/lib/plugin");
	tasks = applied();
	expect_path(tasks, 5, 0x8000, 30, "/lib/plugin");
	expect_path(tasks, 5, 0x1000, 30, "/bin/a");
	tasks_free(tasks);
}

Test(tasks_maps, gives_a_grandchild_what_its_parent_was_given)
{
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	forks(5, 6, 10);
	map_pages(5, 20, 0x1000, 0x1000, "/lib/later");
	forks(6, 7, 30);
	forks(7, 8, 40);
	map_pages(7, 50, 0x2000, 0x1000, "/lib/of_7");
	tasks = applied();
	expect_path(tasks, 8, 0x1000, LATEST, "/bin/a");
	cr_assert_null(path_at(tasks, 8, 0x2000, LATEST));
	expect_path(tasks, 7, 0x2000, LATEST, "/lib/of_7");
	tasks_free(tasks);
}

Test(tasks_maps, gives_a_child_the_maps_its_parent_has_at_the_fork)
{
	struct tasks *tasks;

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
	tasks_free(tasks);
}

Test(tasks_maps, copies_no_maps_for_a_fork_that_was_synthesized)
{
	struct record_at where = at(6, 6, 0);
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/a");
	put_fork(&records, &where, PERF_RECORD_MISC_FORK_EXEC, 5, 5);
	tasks = applied();
	cr_assert_null(path_at(tasks, 6, 0x1000, LATEST));
	tasks_free(tasks);
}

Test(tasks_maps, keeps_the_maps_over_an_exec_until_others_take_their_places)
{
	struct tasks *tasks;

	map_pages(5, 0, 0x1000, 0x1000, "/bin/sh");
	map_pages(5, 0, 0x7000, 0x1000, "/lib/libc");
	exec_as(5, 10, "ls");
	map_pages(5, 11, 0x1000, 0x1000, "/bin/ls");
	tasks = applied();
	expect_path(tasks, 5, 0x1000, 10, "/bin/sh");
	expect_path(tasks, 5, 0x1000, 11, "/bin/ls");
	expect_path(tasks, 5, 0x7000, 11, "/lib/libc");
	tasks_free(tasks);
}

Test(tasks_maps, starts_anew_when_a_pid_is_used_again)
{
	struct record_at where = at(5, 5, 50);
	struct tasks *tasks;

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
	tasks_free(tasks);
}

Test(tasks_maps, tells_equal_paths_apart_by_build_id)
{
	struct record_range low = {0x1000, 0x1000, 0}, high = {0x3000, 0x1000, 0x40};
	struct record_at where = at(5, 5, 0);
	const struct task_map *a, *b;
	struct tasks *tasks;

	put_mmap2_build_id(&records, &where, &low, 0xaa, "/lib/x");
	put_mmap2_build_id(&records, &where, &high, 0xbb, "/lib/x");
	map_pages(6, 0, 0x1000, 0x1000, "/lib/x");
	map_pages(7, 0, 0x1000, 0x1000, "/lib/x");
	tasks = applied();
	a = tasks_map(tasks, 5, 0x1000, 0);
	b = tasks_map(tasks, 5, 0x3000, 0);
	cr_assert_neq(a->dso, b->dso);
	cr_assert_eq(tasks_dso(tasks, a->dso)->build_id[19], 0xaa);
	cr_assert_eq(tasks_dso(tasks, b->dso)->build_id_bytes, 20);
	cr_assert_eq(b->pgoff, 0x40);
	cr_assert_eq(tasks_map(tasks, 6, 0x1000, 0)->dso, tasks_map(tasks, 7, 0x1000, 0)->dso);
	cr_assert_eq(tasks_nr_dsos(tasks), 3);
	tasks_free(tasks);
}

Test(tasks_maps, ignores_maps_of_guests_and_ranges_that_wrap)
{
	struct record_range range = {0x1000, 0x1000, 0}, wraps = {UINT64_MAX - 5, 10, 0};
	struct record_at where = at(5, 5, 0), kernel = at(TASK_PID_KERNEL, 0, 0);
	struct tasks *tasks;

	put_mmap(&records, &where, PERF_RECORD_MISC_GUEST_USER, &range, "/guest");
	put_mmap(&records, &kernel, PERF_RECORD_MISC_GUEST_KERNEL, &range, "[guest.kernel]");
	put_mmap(&records, &where, USER, &wraps, "/wraps");
	map_pages(5, 0, 0x2000, 0, "/empty");
	tasks = applied();
	cr_assert_null(tasks_map(tasks, 5, 0x1000, LATEST));
	cr_assert_null(tasks_map(tasks, TASK_PID_KERNEL, 0x1000, LATEST));
	cr_assert_null(tasks_map(tasks, 5, UINT64_MAX - 2, LATEST));
	cr_assert_null(tasks_map(tasks, 5, 0x2000, LATEST));
	tasks_free(tasks);
}

/* --- the kernel --- */

Test(tasks_maps, finds_kernel_and_modules_whatever_the_process)
{
	const struct task_map *map;
	struct tasks *tasks;

	map_kernel(0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	map_kernel(0xffffffffc0000000, 0x5000, 0, "/lib/modules/6.1/ext4.ko");
	tasks = applied();
	map = tasks_map(tasks, TASK_PID_KERNEL, 0xffffffff81234567, 0);
	cr_assert(map->is_kernel && tasks_dso(tasks, map->dso)->is_kernel);
	cr_assert_eq(map->pgoff, 0xffffffff81000000);
	expect_path(tasks, TASK_PID_KERNEL, 0xffffffffc0000000, 0, "/lib/modules/6.1/ext4.ko");
	cr_assert_null(tasks_map(tasks, 5, 0xffffffff81234567, 0));
	tasks_free(tasks);
}

Test(tasks_maps, takes_a_kernel_without_addresses_for_all_of_them)
{
	struct tasks *tasks;

	map_kernel(0, 0, 0, "[kernel.kallsyms]_text");
	tasks = applied();
	expect_path(tasks, TASK_PID_KERNEL, 0xffffffff81234567, 0, "[kernel.kallsyms]_text");
	tasks_free(tasks);
}

Test(tasks_maps, knows_a_bpf_program_while_it_is_loaded)
{
	uint64_t prog = 0xffffffffc0100000;
	struct tasks *tasks;

	ksymbol(10, prog, 0, "bpf_prog_1_a");
	ksymbol(20, prog, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_1_a");
	ksymbol(30, prog, 0, "bpf_prog_2_b");
	tasks = applied();
	cr_assert_null(tasks_map(tasks, TASK_PID_KERNEL, prog, 9));
	expect_path(tasks, TASK_PID_KERNEL, prog + 0xff, 10, "bpf_prog_1_a");
	cr_assert_null(tasks_map(tasks, TASK_PID_KERNEL, prog, 20));
	expect_path(tasks, TASK_PID_KERNEL, prog, 30, "bpf_prog_2_b");
	cr_assert_null(tasks_map(tasks, TASK_PID_KERNEL, prog + 0x100, 30));
	tasks_free(tasks);
}

Test(tasks_maps, leaves_a_ksymbol_inside_the_kernel_to_the_kernel)
{
	struct tasks *tasks;

	map_kernel(0x10000, 0x1000, 0x10000, "[kernel.kallsyms]_text");
	ksymbol(10, 0x10100, 0, "kprobe_insn_page");
	ksymbol(20, 0x10100, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "kprobe_insn_page");
	tasks = applied();
	expect_path(tasks, TASK_PID_KERNEL, 0x10100, 10, "[kernel.kallsyms]_text");
	expect_path(tasks, TASK_PID_KERNEL, 0x10100, 20, "[kernel.kallsyms]_text");
	tasks_free(tasks);
}

static void expect_pieces(const struct tasks *tasks, uint32_t pid, const char *wanted)
{
	struct ts_bytes text = {0};
	struct task_piece *pieces;
	uint64_t room = 100;
	size_t nr;

	cr_assert_eq(tasks_pieces(tasks, pid, &room, &pieces, &nr), 0);
	for (size_t i = 0; i < nr; i++)
		ts_bytes_printf(&text, "%lx-%lx %s of %u, ", pieces[i].start, pieces[i].end,
				tasks_dso(tasks, pieces[i].map->dso)->path, pieces[i].pid);
	ts_bytes_put(&text, "", 1);
	cr_assert_str_eq((const char *)text.data, wanted);
	ts_bytes_release(&text);
	free(pieces);
}

Test(tasks_maps, lists_what_is_left_of_the_maps_of_a_process_and_those_it_began_with)
{
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x9000, "/old");
	map_pages(1, 20, 0x3000, 0x1000, "/new");
	forks(1, 2, 30);
	map_pages(2, 40, 0x4000, 0x1000, "//anon");
	map_pages(1, 50, 0x1000, 0x9000, "/after");
	tasks = applied();

	expect_pieces(tasks, 1, "1000-a000 /after of 1, ");
	expect_pieces(tasks, 2,
		      "1000-3000 /old of 1, 3000-4000 /new of 1, 4000-5000 //anon of 2, "
		      "5000-a000 /old of 1, ");
	expect_pieces(tasks, 3, "");
	tasks_free(tasks);
}

Test(tasks_maps, lists_own_maps_where_there_is_no_room_for_all)
{
	struct task_piece *pieces;
	uint64_t room = 3;
	uint32_t parent;
	size_t nr;
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x9000, "/old");
	map_pages(1, 20, 0x3000, 0x1000, "/new");
	forks(1, 2, 30);
	map_pages(2, 40, 0x4000, 0x1000, "//anon");
	tasks = applied();
	cr_assert_eq(tasks_nr_maps(tasks), 3);
	cr_assert_eq(tasks_pieces(tasks, 2, &room, &pieces, &nr), 0);
	cr_assert_eq(room, 0);
	free(pieces);
	cr_assert_eq(tasks_pieces(tasks, 1, &room, &pieces, &nr), -E2BIG);
	cr_assert_eq(tasks_own_pieces(tasks, 2, &parent, &pieces, &nr), 0);
	cr_assert_eq(parent, 1);
	cr_assert_eq(nr, 1);
	cr_assert_eq(pieces->start, 0x4000);
	free(pieces);
	cr_assert_eq(tasks_own_pieces(tasks, 1, &parent, &pieces, &nr), 0);
	cr_assert_eq(parent, TASK_PID_KERNEL);
	cr_assert_eq(nr, 3);
	free(pieces);
	tasks_free(tasks);
}

/* Maps code at [start, start + 0x100) of pid 1 as a process does that tells of it in a file. */
static void make_code(struct tasks *tasks, uint64_t time_ns, uint64_t start)
{
	const struct task_map code = {.start = start, .end = start + 0x100, .time_ns = time_ns};

	cr_assert_eq(tasks_map_made(tasks, 1, "/jit-1.dump", &code), 0);
}

Test(tasks_maps, keeps_code_that_was_told_when_its_memory_grows_or_becomes_executable)
{
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x1000, "//anon");
	tasks = applied();
	make_code(tasks, 20, 0x1000);
	make_code(tasks, 20, 0x2000);
	map_pages(1, 30, 0x1000, 0x2000, "//anon");
	forks(1, 2, 40);
	map_pages(2, 50, 0x1000, 0x3000, "[anon:code]");
	map_pages(1, 60, 0x2000, 0x1000, "/lib/file");
	map_pages(1, 70, 0x2000, 0x1000, "/memfd:code (deleted)");
	apply_to(tasks);
	expect_path(tasks, 1, 0x10ff, 15, "//anon");
	expect_path(tasks, 1, 0x10ff, 70, "/jit-1.dump");
	expect_path(tasks, 1, 0x1100, 70, "//anon");
	expect_path(tasks, 1, 0x2000, 30, "/jit-1.dump");
	expect_path(tasks, 1, 0x2000, 60, "/lib/file");
	expect_path(tasks, 1, 0x2000, 70, "/memfd:code (deleted)");
	expect_path(tasks, 2, 0x2000, 50, "/jit-1.dump");
	expect_path(tasks, 2, 0x2100, 50, "[anon:code]");
	expect_pieces(tasks, 2,
		      "1000-1100 /jit-1.dump of 1, 1100-2000 [anon:code] of 2, "
		      "2000-2100 /jit-1.dump of 1, 2100-4000 [anon:code] of 2, ");
	tasks_free(tasks);
}

Test(tasks_maps, keeps_code_that_was_told_at_the_end_of_a_long_chain_of_forks)
{
	const uint32_t last = 40;
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x1000, "//anon");
	tasks = applied();
	make_code(tasks, 20, 0x1000);
	for (uint32_t pid = 2; pid <= last; pid++) {
		forks(pid - 1, pid, 10 * pid + 10);
		map_pages(pid, 10 * pid + 15, 0x1000, 0x2000, "//anon");
		map_pages(pid, 10 * pid + 15, 0x10000 + 0x1000 * pid, 0x1000, "/lib/file");
	}
	map_pages(5, 9000, 0x17000, 0x1000, "/lib/later");
	apply_to(tasks);
	expect_path(tasks, last, 0x1000, LATEST, "/jit-1.dump");
	expect_path(tasks, last, 0x1100, LATEST, "//anon");
	expect_path(tasks, last, 0x17000, LATEST, "/lib/file");
	expect_path(tasks, last - 1, 0x12000, LATEST, "/lib/file");
	cr_assert_null(path_at(tasks, last - 1, 0x10000 + 0x1000 * last, LATEST));
	tasks_free(tasks);
}

/* The path of the file from which the memory at an address was copied. */
static const char *copied_from(const struct tasks *tasks, uint32_t pid, uint64_t addr,
			       uint64_t time_ns)
{
	const struct task_map *map = tasks_map(tasks, pid, addr, time_ns);

	map = map ? tasks_copied_from(tasks, pid, map, addr, time_ns) : NULL;
	return map ? tasks_dso(tasks, map->dso)->path : "none";
}

Test(tasks_maps, takes_memory_inside_a_former_map_of_a_file_for_a_copy)
{
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x4000, "/bin/a");
	map_pages(1, 20, 0x2000, 0x2000, "//anon");
	map_pages(1, 30, 0x2000, 0x1000, "/memfd:text (deleted)");
	map_pages(1, 40, 0x4000, 0x2000, "//anon");
	forks(1, 2, 50);
	map_pages(2, 60, 0x1000, 0x1000, "//anon");
	exec_as(1, 70, "other");
	map_pages(1, 80, 0x2000, 0x1000, "//anon");
	tasks = applied();
	cr_assert_str_eq(copied_from(tasks, 1, 0x2000, 10), "none", "the file itself");
	cr_assert_str_eq(copied_from(tasks, 1, 0x2000, 20), "/bin/a");
	cr_assert_str_eq(copied_from(tasks, 1, 0x2000, 30), "/bin/a", "memory over memory");
	cr_assert_str_eq(copied_from(tasks, 1, 0x4000, 40), "none", "it reaches beyond the file");
	cr_assert_str_eq(copied_from(tasks, 2, 0x3000, 60), "/bin/a", "copied before the fork");
	cr_assert_str_eq(copied_from(tasks, 2, 0x1000, 60), "none", "of another process");
	cr_assert_str_eq(copied_from(tasks, 1, 0x2000, 80), "none", "of another program");
	tasks_free(tasks);
}

Test(tasks_maps, takes_no_library_in_a_memfd_for_a_copy)
{
	const struct record_range range = {0x2000, 0x1000, 0};
	const struct record_at where = at(1, 1, 20);
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x4000, "/bin/a");
	put_mmap2_build_id(&records, &where, &range, 0xaa, "/memfd:plugin.so (deleted)");
	tasks = applied();
	cr_assert_str_eq(copied_from(tasks, 1, 0x2000, 20), "none");
	tasks_free(tasks);
}

Test(tasks_maps, takes_no_memory_for_a_copy_where_code_was_told)
{
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x4000, "/bin/a");
	tasks = applied();
	make_code(tasks, 20, 0x1000);
	map_pages(1, 30, 0x1000, 0x1000, "//anon");
	apply_to(tasks);
	expect_path(tasks, 1, 0x1000, 30, "/jit-1.dump");
	cr_assert_str_eq(copied_from(tasks, 1, 0x1100, 30), "none", "it is the compiler's");
	tasks_free(tasks);
}

Test(tasks_maps, knows_from_whom_a_process_was_forked_until_it_calls_exec)
{
	const struct task_map *map;
	struct tasks *tasks;

	map_pages(1, 10, 0x1000, 0x4000, "//anon");
	forks(1, 2, 20);
	forks(2, 3, 30);
	forks(2, 4, 30);
	forks(2, 5, 30);
	exec_as(4, 40, "other");
	map_pages(4, 50, 0x1000, 0x1000, "//anon");
	map_pages(5, 50, 0x1000, 0x1000, "//anon");
	exec_as(2, 55, "later");
	tasks = applied();
	map = tasks_map(tasks, 3, 0x1000, 60);
	cr_assert_eq(tasks_forked_from(tasks, 3, map, 60, 1), 2);
	cr_assert_eq(tasks_forked_from(tasks, 3, map, 60, 2), 1);
	cr_assert_eq(tasks_forked_from(tasks, 3, map, 60, 3), TASK_PID_KERNEL);
	map = tasks_map(tasks, 4, 0x1000, 60);
	cr_assert_eq(tasks_forked_from(tasks, 4, map, 60, 1), TASK_PID_KERNEL);
	map = tasks_map(tasks, 5, 0x1000, 60);
	cr_assert_eq(tasks_forked_from(tasks, 5, map, 60, 1), TASK_PID_KERNEL, "its own memory");
	cr_assert(tasks_has_maps_of(tasks, 3, 1));
	cr_assert_not(tasks_has_maps_of(tasks, 4, 2), "it called exec");
	cr_assert_not(tasks_has_maps_of(tasks, 1, 2), "it is the parent");
	tasks_free(tasks);
}
