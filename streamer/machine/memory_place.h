/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where memory lies: on the memory nodes of the CPUs that will work on it.
 *
 * Without it memory comes from the node of the thread that touches it first, which for a writer's
 * buffers is the main thread, anywhere on the machine. The mapping itself gets a policy (mbind), no
 * thread does: nothing of it passes to the command or to other memory. It is a preference: where a
 * node is full or policy is refused (containers), memory comes from elsewhere. On a machine with
 * one node, and on a kernel without NUMA, nothing is asked for.
 *
 * Threads: one owner; constant after init, so any thread may map.
 */
#ifndef TS_STREAMER_MACHINE_MEMORY_PLACE_H
#define TS_STREAMER_MACHINE_MEMORY_PLACE_H

#include <hwloc.h>
#include <stddef.h>
#include <stdint.h>

/* mbind(2), or what a test puts in its place. */
typedef long memory_bind(void *start, unsigned long bytes, int mode, const unsigned long *nodes,
			 unsigned long max_node, unsigned int flags);

struct memory_place {
	unsigned long *nodes; /* owned; a bit for each node, by its OS number; NULL: anywhere */
	unsigned int nr_words;
	memory_bind *bind;
};

/*
 * `nodes`: OS numbers of nodes, with any gaps; NULL or empty: anywhere. `bind` NULL: mbind(2), where
 * the machine has several nodes. -ENOMEM.
 */
int memory_place_init(struct memory_place *place, hwloc_const_bitmap_t nodes, memory_bind *bind);
void memory_place_release(struct memory_place *place); /* accepts a zeroed one; idempotent */

/*
 * Maps so many bytes (whole pages) there, and touches them; NULL: out of memory. munmap() ends it, of
 * any part of it by itself. From 2 MiB on it has large pages where the kernel has some.
 */
void *memory_place_map(const struct memory_place *place, size_t bytes);

#endif
