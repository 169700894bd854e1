// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_scene.h"

Test(tasks_names, gives_the_name_of_each_time)
{
	struct tasks *tasks;

	comm(5, 5, 0, "first");
	comm(5, 5, 100, "second");
	comm(5, 5, 200, "first");
	tasks = applied();
	expect_comm(tasks, 5, 0, "first");
	expect_comm(tasks, 5, 99, "first");
	expect_comm(tasks, 5, 100, "second");
	expect_comm(tasks, 5, LATEST, "first");
	expect_comm(tasks, 6, LATEST, NULL);
	tasks_free(tasks);
}

Test(tasks_names, calls_the_idle_task_swapper)
{
	struct tasks *tasks = applied();

	expect_comm(tasks, 0, 0, "swapper");
	tasks_free(tasks);
}

Test(tasks_names, gives_a_child_the_name_its_parent_has_at_the_fork)
{
	struct tasks *tasks;

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
	tasks_free(tasks);
}

Test(tasks_names, names_threads_apart_from_their_process)
{
	struct tasks *tasks;

	comm(5, 5, 0, "main");
	clones(5, 5, 51, 10);
	comm(5, 51, 20, "worker");
	clones(5, 51, 52, 30);
	tasks = applied();
	expect_comm(tasks, 51, 15, "main");
	expect_comm(tasks, 51, 20, "worker");
	expect_comm(tasks, 52, 30, "worker");
	expect_comm(tasks, 5, LATEST, "main");
	tasks_free(tasks);
}

Test(tasks_names, keeps_the_name_after_the_exit)
{
	struct record_at where = at(5, 5, 50);
	struct tasks *tasks;

	comm(5, 5, 0, "gone");
	map_pages(5, 0, 0x1000, 0x1000, "/bin/gone");
	put_exit(&records, &where);
	tasks = applied();
	expect_comm(tasks, 5, 60, "gone");
	expect_path(tasks, 5, 0x1800, 60, "/bin/gone");
	tasks_free(tasks);
}

Test(tasks_names, forgets_the_name_of_a_thread_that_has_another_process_as_parent)
{
	struct record_at where = at(9, 9, 100);
	struct tasks *tasks;

	comm(5, 8, 0, "stale");
	map_pages(8, 0, 0x1000, 0x1000, "/bin/stale");
	put_fork(&records, &where, 0, 8, 8);
	tasks = applied();
	expect_comm(tasks, 8, 99, "stale");
	expect_comm(tasks, 8, 100, NULL);
	expect_comm(tasks, 9, 100, NULL);
	cr_assert_null(path_at(tasks, 9, 0x1000, LATEST));
	tasks_free(tasks);
}

Test(tasks_names, gives_the_last_name_of_a_thread_whose_tid_is_used_again)
{
	struct tasks *tasks;

	comm(1, 1, 0, "shell");
	forks(1, 7, 10);
	exec_as(7, 11, "first");
	comm(7, 7, 12, "at-last");
	forks(1, 7, 20);
	exec_as(7, 21, "second");
	tasks = applied();
	cr_expect_str_eq(tasks_last_comm(tasks, 7, 10), "at-last");
	cr_expect_str_eq(tasks_last_comm(tasks, 7, 19), "at-last");
	cr_expect_str_eq(tasks_last_comm(tasks, 7, 20), "second");
	cr_expect_null(tasks_last_comm(tasks, 7, 9));
	cr_expect_null(tasks_last_comm(tasks, 8, 9));
	tasks_free(tasks);
}

Test(tasks_names, gives_the_first_name_that_an_unnamed_thread_gets)
{
	struct tasks *tasks;

	comm(5, 5, 100, "named");
	comm(5, 5, 200, "renamed");
	forks(9, 8, 300); /* the parent has no name */
	exec_as(8, 400, "program");
	forks(9, 5, 500);
	forks(9, 6, 600);
	tasks = applied();
	cr_expect_str_eq(tasks_first_comm(tasks, 5, 99), "named");
	cr_expect_str_eq(tasks_first_comm(tasks, 8, 300), "program");
	cr_expect_null(tasks_first_comm(tasks, 8, 299)); /* that name is another thread's */
	cr_expect_null(tasks_first_comm(tasks, 5, 250));
	cr_expect_null(tasks_first_comm(tasks, 6, 600));
	cr_expect_null(tasks_first_comm(tasks, 7, 600));
	tasks_free(tasks);
}
