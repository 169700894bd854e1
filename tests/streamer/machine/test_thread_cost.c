// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/thread_cost.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#include "common/base/clock.h"

static struct thread_cost before, after;
static atomic_bool has_worked, may_end;

static void spin(clockid_t clock, uint64_t ns)
{
	uint64_t end = ts_clock_ns(clock) + ns;

	while (ts_clock_ns(clock) < end)
		;
}

/* A thread with the name that the helper of writer 7 has. */
static void *work(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "tstream-p07");
	spin(CLOCK_THREAD_CPUTIME_ID, 50 * TS_NS_PER_MS);
	has_worked = true;
	while (!may_end)
		sched_yield();
	return NULL;
}

Test(thread_cost, counts_the_thread_that_asks)
{
	thread_cost_read(7, &before);
	spin(CLOCK_THREAD_CPUTIME_ID, 50 * TS_NS_PER_MS);
	thread_cost_read(7, &after);
	cr_assert_geq(after.user_ns + after.system_ns,
		      before.user_ns + before.system_ns + 40 * TS_NS_PER_MS);
	cr_assert_eq(after.helpers_ns, 0);
}

Test(thread_cost, counts_the_helper_of_that_writer_and_of_no_other)
{
	struct thread_cost other;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, work, NULL), 0);
	while (!has_worked)
		sched_yield();
	thread_cost_read(7, &after);
	thread_cost_read(8, &other);
	may_end = true;
	pthread_join(thread, NULL);
	if (!after.helpers_ns)
		cr_skip_test("this kernel has no /proc/PID/task/TID/schedstat");
	cr_assert_geq(after.helpers_ns, 40 * TS_NS_PER_MS);
	cr_assert_eq(other.helpers_ns, 0);
}
