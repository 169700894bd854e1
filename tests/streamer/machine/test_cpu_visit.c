// SPDX-License-Identifier: Apache-2.0
/* Where a thread is while it visits CPUs, and that it comes home. */
#include "streamer/machine/cpu_visit.h"

#include <criterion/criterion.h>
#include <sched.h>

static cpu_set_t home;

static void read_home(void)
{
	cr_assert_eq(sched_getaffinity(0, sizeof(home), &home), 0);
}

static void assert_at_home(void)
{
	cpu_set_t now;

	cr_assert_eq(sched_getaffinity(0, sizeof(now), &now), 0);
	cr_assert(CPU_EQUAL(&now, &home));
}

TestSuite(cpu_visit, .init = read_home);

Test(cpu_visit, goes_to_each_cpu_and_home)
{
	struct cpu_visit v;

	cpu_visit_begin(&v);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &home))
			continue;
		cpu_visit_go(&v, cpu);
		cr_assert_eq(sched_getcpu(), (int)cpu);
		cpu_visit_go(&v, cpu);
		cr_assert_eq(sched_getcpu(), (int)cpu);
	}
	cpu_visit_end(&v);
	assert_at_home();
}

Test(cpu_visit, stays_where_a_cpu_is_not)
{
	struct cpu_visit v;

	cpu_visit_begin(&v);
	cpu_visit_go(&v, 70000);
	assert_at_home();
	cpu_visit_end(&v);
	assert_at_home();
}

Test(cpu_visit, begin_and_end_alone_change_nothing)
{
	struct cpu_visit v;

	cpu_visit_begin(&v);
	cpu_visit_end(&v);
	cpu_visit_end(&v);
	assert_at_home();
}
