// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/memory_place.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <numaif.h>
#include <string.h>
#include <sys/mman.h>

#include "streamer/layout/layout.h"

#define MANY 5 /* MPOL_PREFERRED_MANY */

struct bound { /* what the last mbind() was given */
	int calls, modes[2];
	unsigned long bytes, max_node, nodes[8];
	int refuses; /* the errno of the first call */
};
static struct bound bound;

static long note_bind(void *start, unsigned long bytes, int mode, const unsigned long *nodes,
		      unsigned long max_node, unsigned int flags)
{
	cr_assert(start && !flags);
	cr_assert_lt(bound.calls, 2);
	bound.modes[bound.calls++] = mode;
	bound.bytes = bytes;
	bound.max_node = max_node;
	memset(bound.nodes, 0, sizeof(bound.nodes));
	memcpy(bound.nodes, nodes, (max_node - 1) / 8);
	if (bound.calls > 1 || !bound.refuses)
		return 0;
	errno = bound.refuses;
	return -1;
}

static void map_on(hwloc_const_bitmap_t nodes)
{
	struct memory_place place;
	uint8_t *map;

	cr_assert_eq(memory_place_init(&place, nodes, note_bind), 0);
	map = memory_place_map(&place, 65536);
	cr_assert(map);
	cr_expect_eq(map[65535], 0);
	munmap(map, 65536);
	memory_place_release(&place);
	memory_place_release(&place);
}

/* Maps a buffer of the writer of that number on a synthetic machine. */
static void map_for_writer(const char *machine, const char *spec, size_t writer)
{
	struct layout_input in = {.spec = spec};
	hwloc_topology_t topology;
	hwloc_bitmap_t none = hwloc_bitmap_alloc();
	struct layout layout;
	struct ts_error err;

	cr_assert_eq(hwloc_topology_init(&topology), 0);
	cr_assert_eq(hwloc_topology_set_synthetic(topology, machine), 0);
	cr_assert_eq(hwloc_topology_load(topology), 0);
	in.topology = topology;
	in.present = in.online = in.allowed = hwloc_topology_get_topology_cpuset(topology);
	in.isolated = none;
	cr_assert_eq(layout_init(&layout, &in, NULL, &err), 0, "%s", err.text);
	cr_assert_lt(writer, layout.nr);
	map_on(layout.writers[writer].nodes);
	layout_release(&layout);
	hwloc_bitmap_free(none);
	hwloc_topology_destroy(topology);
}

Test(memory_place, prefers_the_node_of_the_cpus)
{
	map_for_writer("numa:4 core:2 pu:2", "numa", 2);
	cr_expect_eq(bound.calls, 1);
	cr_expect_eq(bound.modes[0], MANY);
	cr_expect_eq(bound.bytes, 65536);
	cr_expect_eq(bound.max_node, 65);
	cr_expect_eq(bound.nodes[0], 1UL << 2);
}

Test(memory_place, prefers_every_node_of_a_socket)
{
	map_for_writer("package:2 numa:2 core:2 pu:1", "socket", 1);
	cr_expect_eq(bound.nodes[0], 1UL << 2 | 1UL << 3);
}

Test(memory_place, knows_nodes_above_63_and_gaps)
{
	map_for_writer("numa:4(indexes=0,8,64,250) core:2 pu:1", "numa", 3);
	cr_expect_eq(bound.max_node, 257);
	for (int i = 0; i < 3; i++)
		cr_expect_eq(bound.nodes[i], 0);
	cr_expect_eq(bound.nodes[3], 1UL << (250 - 192));
	memset(&bound, 0, sizeof(bound));
	map_for_writer("package:2 numa:2(indexes=0,8,64,250) core:2 pu:1", "socket", 1);
	cr_expect_eq(bound.max_node, 257);
	cr_expect_eq(bound.nodes[0], 0);
	cr_expect_eq(bound.nodes[1], 1);
	cr_expect_eq(bound.nodes[3], 1UL << (250 - 192));
}

Test(memory_place, takes_one_node_from_a_kernel_that_knows_no_more)
{
	bound.refuses = EINVAL;
	map_for_writer("numa:2 core:2 pu:1", "numa", 1);
	cr_expect_eq(bound.calls, 2);
	cr_expect_eq(bound.modes[1], MPOL_PREFERRED);
}

Test(memory_place, is_memory_all_the_same_where_policy_is_refused)
{
	bound.refuses = EPERM;
	map_for_writer("numa:2 core:2 pu:1", "numa", 1);
	cr_expect_eq(bound.calls, 1);
}

Test(memory_place, asks_for_nothing_where_no_node_is_known)
{
	hwloc_bitmap_t none = hwloc_bitmap_alloc();

	map_on(NULL);
	map_on(none);
	cr_expect_eq(bound.calls, 0);
	hwloc_bitmap_free(none);
}

Test(memory_place, gives_large_memory_a_place_for_large_pages)
{
	const size_t large = 2 << 20, bytes = 2 * large;
	struct memory_place place;
	uint8_t *map;

	cr_assert_eq(memory_place_init(&place, NULL, NULL), 0);
	map = memory_place_map(&place, bytes);
	cr_assert(map);
	cr_expect_eq((uintptr_t)map % large, 0);
	memset(map, 1, bytes);
	cr_expect_eq(munmap(map, large / 2), 0); /* each part by itself */
	cr_expect_eq(map[large / 2], 1);
	cr_expect_eq(munmap(map + large / 2, bytes - large / 2), 0);
	memory_place_release(&place);
}
