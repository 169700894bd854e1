// SPDX-License-Identifier: Apache-2.0
/* Levels of writers and of what writes for them. Each test is a process of its own. */
#include "streamer/machine/schedule.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ts_error err;

static int nice_of(pid_t pid)
{
	return getpriority(PRIO_PROCESS, (id_t)pid);
}

static bool is_nice(enum schedule how)
{
	return how == SCHEDULE_NICE || how == SCHEDULE_SHORT_SLICE_NICE;
}

/* As the tests themselves are scheduled may differ: begin where a shell does. */
static bool begin_ordinary(void)
{
	return sched_getscheduler(0) == SCHED_OTHER && nice_of(0) == 0;
}

Test(schedule, writes_below_and_reads_above_where_it_is_allowed)
{
	enum schedule how;

	if (!begin_ordinary())
		cr_skip_test("started with another nice value");
	cr_assert_eq(schedule_self(0, &how, &err), 0);
	cr_assert_eq(nice_of(0), is_nice(how) ? -10 : 0);
	schedule_above_helpers(how);
	if (!is_nice(how))
		cr_assert_eq(nice_of(0), 0);
	else
		cr_assert_lt(nice_of(0), geteuid() ? 0 : -10);
}

Test(schedule, leaves_what_was_created_between_below)
{
	enum schedule how;
	pid_t child;

	if (!begin_ordinary())
		cr_skip_test("started with another nice value");
	cr_assert_eq(schedule_self(0, &how, &err), 0);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	schedule_above_helpers(how);
	cr_expect_eq(nice_of(child), is_nice(how) ? -10 : 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

Test(schedule, keeps_the_nice_value_of_the_caller)
{
	int before = nice_of(0) + 3 > 19 ? 19 : nice_of(0) + 3;
	enum schedule how;

	if (!before)
		before = 1;
	cr_assert_eq(setpriority(PRIO_PROCESS, 0, before), 0);
	cr_assert_eq(schedule_self(0, &how, &err), 0);
	schedule_above_helpers(how);
	cr_assert_eq(nice_of(0), before);
}

Test(schedule, keeps_the_policy_of_the_caller)
{
	struct sched_param param = {0};
	enum schedule how;

	cr_assert_eq(sched_setscheduler(0, SCHED_BATCH, &param), 0);
	cr_assert_eq(schedule_self(0, &how, &err), 0);
	cr_assert_eq(how, SCHEDULE_PLAIN);
	cr_assert_eq(sched_getscheduler(0), SCHED_BATCH);
}

Test(schedule, takes_real_time_or_says_what_that_needs)
{
	enum schedule how;
	int rc = schedule_self(1, &how, &err);

	if (rc) {
		cr_assert_eq(rc, -EPERM);
		return;
	}
	cr_assert_eq(how, SCHEDULE_FIFO);
	cr_assert_eq(sched_getscheduler(0), SCHED_FIFO);
}
