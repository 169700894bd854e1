/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs of a machine in groups: by core, shared cache, die, package, memory node.
 *
 * Invariant: the groups are disjoint, and none is empty. Together they are exactly the CPUs of
 * `cpus`. They are in the order of their lowest CPU.
 *
 * Threads: one owner at a time. Making the groups only reads the topology.
 */
#ifndef TS_STREAMER_MACHINE_CPU_GROUPS_H
#define TS_STREAMER_MACHINE_CPU_GROUPS_H

#include <hwloc.h>
#include <stddef.h>

struct cpu_groups {
	hwloc_bitmap_t *sets; /* owned */
	size_t nr;
};

/*
 * Makes one group for each object of the type that has CPUs of `cpus`. A machine may lack L3 caches
 * or dies: CPUs without such an object are grouped by package, and the remaining CPUs are one
 * group. -ENOMEM.
 */
int cpu_groups_by_type(struct cpu_groups *groups, hwloc_topology_t topology, hwloc_obj_type_t type,
		       hwloc_const_bitmap_t cpus);

/*
 * Makes one group for each memory node. A node with more than `max` CPUs is split along its L3
 * caches, and an L3 with more than `max` CPUs along its cores. The groups of a node are as few as
 * possible, and of nearly equal size. -ENOMEM.
 */
int cpu_groups_by_load(struct cpu_groups *groups, hwloc_topology_t topology, unsigned int max,
		       hwloc_const_bitmap_t cpus);

/*
 * Returns the memory node (OS number) of this CPU; -1: no node has it. ret_cpus (may be NULL)
 * becomes the CPUs of that node.
 */
int cpu_groups_node(hwloc_topology_t topology, unsigned int cpu, hwloc_bitmap_t ret_cpus);

void cpu_groups_release(struct cpu_groups *groups); /* accepts a zeroed one; idempotent */

#endif
