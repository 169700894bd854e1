// SPDX-License-Identifier: Apache-2.0
#include "streamer/targets/target.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

Test(target, reads_numbers_of_processes_once_each_in_order)
{
	struct target target = {0};
	struct ts_error err;

	cr_assert_eq(target_set_ids(&target, TARGET_PIDS, "30,4,30", &err), 0);
	cr_expect(target.kind == TARGET_PIDS && target.nr_ids == 2);
	cr_expect(target.ids[0] == 4 && target.ids[1] == 30);
	target_release(&target);
	target_release(&target);
}

Test(target, refuses_what_is_no_number_and_keeps_what_was)
{
	static const char *const bad[] = {"", "x", "1,", "0", "-1", "99999999999", "1 2"};
	struct target target = {0};
	struct ts_error err;

	cr_assert_eq(target_set_ids(&target, TARGET_TIDS, "7", &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(target_set_ids(&target, TARGET_PIDS, bad[i], &err), -EINVAL, "'%s'",
			     bad[i]);
	cr_expect(target.kind == TARGET_TIDS && target.nr_ids == 1 && target.ids[0] == 7);
	cr_expect_eq(target_set_cpus(&target, "", &err), -EINVAL);
	cr_expect_eq(target_set_cpus(&target, "1-", &err), -EINVAL);
	cr_expect_null(target.cpus);
	cr_expect_eq(target_set_cpus(&target, "1-3", &err), 0);
	cr_expect_eq(hwloc_bitmap_weight(target.cpus), 3);
	target_release(&target);
}

static void *wait_there(void *arg)
{
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

Test(target, lists_the_threads_of_a_process)
{
	struct target target = {0};
	pthread_barrier_t barrier;
	struct ts_error err;
	pthread_t thread;
	char text[32];
	pid_t *tids;
	struct target_counts counts;
	size_t nr, nr_before;

	snprintf(text, sizeof(text), "%d", getpid());
	cr_assert_eq(target_set_ids(&target, TARGET_PIDS, text, &err), 0);
	cr_assert_eq(target_threads(&target, &tids, &nr_before, &err), 0);
	free(tids);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_there, &barrier);
	pthread_barrier_wait(&barrier);
	cr_assert_eq(target_threads(&target, &tids, &nr, &err), 0);
	cr_expect_eq(nr, nr_before + 1);
	for (size_t i = 1; i < nr; i++)
		cr_expect_lt(tids[i - 1], tids[i]);
	free(tids);
	cr_assert_eq(target_set_ids(&target, TARGET_TIDS, text, &err), 0);
	cr_assert_eq(target_all_threads(&target, &tids, &nr, &err), 0);
	cr_expect_eq(nr, nr_before + 1, "names and maps of all threads of the process");
	for (size_t i = 0; i < nr; i++)
		cr_expect_eq(target_samples(&target, tids[i]), tids[i] == getpid());
	free(tids);
	cr_assert_eq(target_count_threads(&target, &counts, &err), 0);
	cr_expect(counts.sampled == 1 && counts.all == nr);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	target_release(&target);
}

Test(target, says_who_is_gone)
{
	struct target target = {0};
	struct ts_error err;
	char text[64];
	pid_t *tids, child = fork();
	size_t nr;

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	snprintf(text, sizeof(text), "%d", child);
	cr_assert_eq(target_set_ids(&target, TARGET_PIDS, text, &err), 0);
	cr_expect_eq(target_threads(&target, &tids, &nr, &err), -ESRCH);
	cr_assert_eq(target_set_ids(&target, TARGET_TIDS, text, &err), 0);
	cr_expect_eq(target_threads(&target, &tids, &nr, &err), -ESRCH);
	snprintf(text, sizeof(text), "%d,%d", child, getpid());
	cr_assert_eq(target_set_ids(&target, TARGET_TIDS, text, &err), 0);
	cr_assert_eq(target_threads(&target, &tids, &nr, &err), 0);
	cr_expect(nr == 1 && tids[0] == getpid());
	free(tids);
	cr_expect_eq(target_check(&target, &err), -ESRCH);
	cr_assert_eq(target_set_ids(&target, TARGET_PIDS, text, &err), 0);
	cr_expect_eq(target_check(&target, &err), -ESRCH);
	snprintf(text, sizeof(text), "cannot record process %d: there is no such process", child);
	cr_expect_str_eq(err.text, text);
	snprintf(text, sizeof(text), "%d", getpid());
	cr_assert_eq(target_set_ids(&target, TARGET_PIDS, text, &err), 0);
	cr_expect_eq(target_check(&target, &err), 0);
	target_release(&target);
}

Test(target, is_everybody_unless_somebody_is_named)
{
	struct target target = {0};
	struct ts_error err;
	pid_t *tids;
	size_t nr;

	cr_assert_eq(target_threads(&target, &tids, &nr, &err), 0);
	cr_expect(nr == 1 && tids[0] == -1);
	free(tids);
	cr_assert_eq(target_set_command(&target, getpid(), &err), 0);
	cr_expect(target.kind == TARGET_COMMAND);
	cr_assert_eq(target_threads(&target, &tids, &nr, &err), 0);
	cr_expect(nr == 1 && tids[0] == getpid());
	free(tids);
	target_release(&target);
}
