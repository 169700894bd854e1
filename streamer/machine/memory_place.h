/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places memory on the memory nodes of the CPUs that will work on it.
 *
 * Otherwise memory comes from the node of the thread that touches it first. For a writer's buffers
 * this is the main thread, which may run anywhere on the machine. The mapping itself gets a policy
 * (mbind), and no thread does, so the command and other memory are not affected. The policy is a
 * preference: if a node is full, or if the policy is refused (containers), memory comes from
 * elsewhere. No policy is set on a machine with one node and on a kernel without NUMA.
 *
 * Threads: one owner; constant after init, so any thread may map.
 */
#ifndef TS_STREAMER_MACHINE_MEMORY_PLACE_H
#define TS_STREAMER_MACHINE_MEMORY_PLACE_H

#include <hwloc.h>
#include <stddef.h>
#include <stdint.h>

/* mbind(2), or a test's function in its place. */
typedef long memory_bind(void *start, unsigned long bytes, int mode, const unsigned long *nodes,
			 unsigned long max_node, unsigned int flags);

struct memory_place {
	unsigned long *nodes; /* owned; a bit for each node, by its OS number; NULL: anywhere */
	unsigned int nr_words;
	memory_bind *bind;
};

/*
 * `nodes`: OS numbers of nodes, with any gaps; NULL or empty: anywhere. `bind` NULL: mbind(2), if
 * the machine has several nodes. -ENOMEM.
 */
int memory_place_init(struct memory_place *place, hwloc_const_bitmap_t nodes, memory_bind *bind);
void memory_place_release(struct memory_place *place); /* accepts a zeroed one; idempotent */

/*
 * Maps `bytes` (whole pages) on these nodes and touches them; NULL: out of memory. munmap() unmaps
 * all of it, or any part alone. A mapping of 2 MiB or more gets large pages if the kernel has some.
 */
void *memory_place_map(const struct memory_place *place, size_t bytes);

#endif
