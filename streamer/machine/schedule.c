// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/schedule.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"

#define SLICE_NS     (100 * TS_NS_PER_US)
#define HELPERS_NICE (-10)
#define WRITERS_NICE (-20)

/*
 * struct sched_attr of linux/sched/types.h, first version (SCHED_ATTR_SIZE_VER0): that header and
 * sched.h of glibc cannot be included together.
 */
struct slice_attr {
	uint32_t size;
	uint32_t sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime; /* of an ordinary thread: its slice */
	uint64_t sched_deadline;
	uint64_t sched_period;
};
static_assert(sizeof(struct slice_attr) == 48, "SCHED_ATTR_SIZE_VER0");

/* Kernels before 6.12 accept the slice and ignore it, so it is read back. */
static bool take_short_slice(void)
{
	struct slice_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_OTHER,
		.sched_nice = getpriority(PRIO_PROCESS, 0),
		.sched_runtime = SLICE_NS,
	};

	if (syscall(SYS_sched_setattr, 0, &attr, 0) < 0)
		return false;
	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
		return false;
	return attr.sched_runtime == SLICE_NS;
}

/* Linux has one nice value for each thread. A value that the caller has chosen stays. */
static bool take_helpers_nice(void)
{
	return !getpriority(PRIO_PROCESS, 0) && !setpriority(PRIO_PROCESS, 0, HELPERS_NICE);
}

static int take_fifo(int priority, struct ts_error *err)
{
	struct sched_param param = {.sched_priority = priority};

	if (sched_setscheduler(0, SCHED_FIFO, &param) == 0)
		return 0;
	ts_error_sys(err, errno, "cannot give a writer the real-time priority %d", priority);
	return ts_error_hint(err,
			     "run with CAP_SYS_NICE or an RLIMIT_RTPRIO of %d (ulimit -r); without "
			     "-r a writer asks for a short time slice instead",
			     priority);
}

int schedule_self(int fifo_priority, enum schedule *ret_how, struct ts_error *err)
{
	bool is_nice, is_short;

	if (fifo_priority) {
		*ret_how = SCHEDULE_FIFO;
		return take_fifo(fifo_priority, err);
	}
	*ret_how = SCHEDULE_PLAIN;
	if (sched_getscheduler(0) != SCHED_OTHER)
		return 0; /* started under chrt: the caller's policy stays */
	is_nice = take_helpers_nice();
	is_short = take_short_slice();
	if (is_nice)
		*ret_how = is_short ? SCHEDULE_SHORT_SLICE_NICE : SCHEDULE_NICE;
	else if (is_short)
		*ret_how = SCHEDULE_SHORT_SLICE;
	return 0;
}

void schedule_above_helpers(enum schedule how)
{
	if (how == SCHEDULE_NICE || how == SCHEDULE_SHORT_SLICE_NICE)
		setpriority(PRIO_PROCESS, 0, WRITERS_NICE);
}

const char *schedule_name(enum schedule how)
{
	static const char *const names[] = {
		[SCHEDULE_PLAIN] = "plain", [SCHEDULE_SHORT_SLICE] = "short slice",
		[SCHEDULE_NICE] = "nice",   [SCHEDULE_SHORT_SLICE_NICE] = "short slice, nice",
		[SCHEDULE_FIFO] = "fifo",
	};

	return names[how];
}

cpu_set_t *schedule_cpu_set(hwloc_const_bitmap_t cpus, size_t *ret_bytes)
{
	int last = cpus ? hwloc_bitmap_last(cpus) : -1;
	cpu_set_t *set;
	int cpu;

	*ret_bytes = 0;
	if (last < 0)
		return NULL;
	set = CPU_ALLOC((size_t)last + 1);
	*ret_bytes = set ? CPU_ALLOC_SIZE((size_t)last + 1) : 1;
	if (!set)
		return NULL;
	CPU_ZERO_S(*ret_bytes, set);
	for (cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu))
		CPU_SET_S((size_t)cpu, *ret_bytes, set);
	return set;
}
