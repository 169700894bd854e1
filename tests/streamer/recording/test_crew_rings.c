// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "streamer/recording/crew.h"
#include "tests/support/scratch.h"
#include "tests/support/sleepers.h"

#define THREADS 80 /* more than have side-band of their own */

static struct scratch scratch;
static struct record_options options;
static struct record_plan plan;
static struct ts_error err;

static void make_plan(pid_t pid)
{
	char number[16], out[64], *argv[] = {"record", "-p", number, "-o", out, NULL};

	snprintf(number, sizeof(number), "%d", pid);
	scratch_make(&scratch);
	snprintf(out, sizeof(out), "%s/out", scratch.path);
	cr_assert_eq(record_options_read(&options, 5, argv, &err), 0, "%s", err.text);
	cr_assert_eq(record_plan_init(&plan, &options, &options.notes, &err), 0, "%s", err.text);
	if (!plan.source.is_wide || hwloc_bitmap_weight(plan.machine.online) < 2)
		cr_skip_test("needs CAP_PERFMON and two CPUs");
}

static size_t nr_unfiltered(const struct crew *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan.source.nr_rings; i++)
		nr += plan.source.rings[i].kind == TS_RING_SIDEBAND && c->rings[i].map_bytes &&
		      c->rings[i].tasks != &plan.source.tasks;
	return nr;
}

Test(crew_rings, leaves_foreign_tasks_out_on_a_cpu_that_comes_later, .timeout = 60)
{
	pid_t pid = sleepers_make(THREADS);
	struct crew crew;
	unsigned int late;
	size_t first;

	make_plan(pid);
	late = (unsigned int)hwloc_bitmap_last(plan.machine.online);
	for (size_t i = 0; i < plan.source.nr_rings; i++)
		plan.source.rings[i].is_absent = plan.source.rings[i].cpu == late;
	crew_init(&crew, &plan);
	cr_assert_eq(crew_open(&crew, &err), 0, "%s", err.text);
	cr_assert_eq(crew_allocate(&crew, &err), 0, "%s", err.text);
	cr_assert_eq(crew_open_rings(&crew, &options.notes, &err), 0, "%s", err.text);
	cr_expect_eq(nr_unfiltered(&crew), 0);
	cr_assert_eq(crew_admit_rings(&crew, late, &first, &err), 0, "%s", err.text);
	cr_expect_eq(nr_unfiltered(&crew), 0);
	crew_close(&crew, false, &options.notes);
	crew_release(&crew);
	record_plan_release(&plan);
	record_options_release(&options);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	scratch_remove(&scratch);
}
