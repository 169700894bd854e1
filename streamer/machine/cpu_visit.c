// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "streamer/machine/cpu_visit.h"

#define MAX_CPUS                                                                                   \
	(1U << 20) /* more than any kernel is built for: here the search for its size ends */

/* The kernel returns EINVAL until the set is as large as its own. */
static cpu_set_t *read_affinity(size_t *ret_bytes)
{
	for (unsigned int cpus = CPU_SETSIZE; cpus <= MAX_CPUS; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);

		*ret_bytes = CPU_ALLOC_SIZE(cpus);
		if (set && !sched_getaffinity(0, *ret_bytes, set))
			return set;
		CPU_FREE(set);
		if (!set || errno != EINVAL)
			break;
	}
	return NULL;
}

void cpu_visit_begin(struct cpu_visit *v)
{
	*v = (struct cpu_visit){.at = -1};
	v->home = read_affinity(&v->home_bytes);
}

void cpu_visit_go(struct cpu_visit *v, unsigned int cpu)
{
	size_t bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *there;

	if (!v->home || v->at == (int)cpu)
		return;
	there = CPU_ALLOC((size_t)cpu + 1);
	if (!there)
		return;
	CPU_ZERO_S(bytes, there);
	CPU_SET_S(cpu, bytes, there);
	if (!sched_setaffinity(0, bytes, there))
		v->at = (int)cpu;
	CPU_FREE(there);
}

void cpu_visit_end(struct cpu_visit *v)
{
	if (v->at >= 0)
		sched_setaffinity(0, v->home_bytes, v->home);
	CPU_FREE(v->home);
	*v = (struct cpu_visit){.at = -1};
}
