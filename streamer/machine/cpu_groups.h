/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs of a machine in groups: by core, shared cache, die, package, memory node.
 *
 * Invariant: the groups are disjoint, none is empty, together they are exactly the CPUs asked for,
 * and they are in the order of their lowest CPU.
 *
 * Threads: one owner at a time; making them only reads the topology.
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
 * One group for each object of a type that has CPUs of `cpus`. CPUs that no object of the type has
 * (a machine without L3, without dies) are grouped by package, then by what is left. -ENOMEM.
 */
int cpu_groups_by_type(struct cpu_groups *groups, hwloc_topology_t topology, hwloc_obj_type_t type,
		       hwloc_const_bitmap_t cpus);

/*
 * One group a memory node; a node with more than `max` CPUs is split along its L3 caches, an L3
 * with more than that along its cores, into as few groups of nearly equal size as will do. -ENOMEM.
 */
int cpu_groups_by_load(struct cpu_groups *groups, hwloc_topology_t topology, unsigned int max,
		       hwloc_const_bitmap_t cpus);

/* The memory node (OS number) that has this CPU, -1 if none does; *ret_cpus (may be NULL) becomes
 * its CPUs. */
int cpu_groups_node(hwloc_topology_t topology, unsigned int cpu, hwloc_bitmap_t ret_cpus);

void cpu_groups_release(struct cpu_groups *groups); /* accepts a zeroed one; idempotent */

#endif
