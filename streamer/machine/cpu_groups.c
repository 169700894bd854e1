// SPDX-License-Identifier: Apache-2.0
/*
 * How a node is split for load. It is cut into its L3 domains. A domain that is still too large is
 * cut into its cores. The pieces are then joined again in CPU order:
 *
 *	node of 32 CPUs, L3s of 8, max 16:   [8][8][8][8]  ->  [8 8][8 8]
 *	node of 40 CPUs, no L3, max 16:      20 cores of 2 ->  [14][14][12]
 *
 * The number of groups is the smallest that max allows. Each group is filled up to an equal share.
 */
#include "streamer/machine/cpu_groups.h"

#include <errno.h>
#include <stdlib.h>

/* Adds (a copy of) the set, unless it is empty. */
static int push_group(struct cpu_groups *groups, hwloc_const_bitmap_t set)
{
	hwloc_bitmap_t *sets, copy;

	if (hwloc_bitmap_iszero(set))
		return 0;
	copy = hwloc_bitmap_dup(set);
	if (!copy)
		return -ENOMEM;
	sets = reallocarray(groups->sets, groups->nr + 1, sizeof(*sets));
	if (!sets) {
		hwloc_bitmap_free(copy);
		return -ENOMEM;
	}
	groups->sets = sets;
	groups->sets[groups->nr++] = copy;
	return 0;
}

static int by_lowest_cpu(const void *a, const void *b)
{
	return hwloc_bitmap_first(*(const hwloc_bitmap_t *)a) -
	       hwloc_bitmap_first(*(const hwloc_bitmap_t *)b);
}

static void sort_groups(struct cpu_groups *groups)
{
	if (groups->nr)
		qsort(groups->sets, groups->nr, sizeof(groups->sets[0]), by_lowest_cpu);
}

/* Moves the CPUs of each object of the type out of *rest into a group of their own. */
static int take_objects(struct cpu_groups *groups, hwloc_topology_t topology, hwloc_obj_type_t type,
			hwloc_bitmap_t rest)
{
	hwloc_bitmap_t part = hwloc_bitmap_alloc();
	hwloc_obj_t obj = NULL;
	int rc = part ? 0 : -ENOMEM;

	while (!rc && (obj = hwloc_get_next_obj_by_type(topology, type, obj))) {
		/* memory nodes of different kinds may share CPUs: the first node gets them */
		if (hwloc_bitmap_and(part, obj->cpuset, rest) ||
		    hwloc_bitmap_andnot(rest, rest, part))
			rc = -ENOMEM;
		else
			rc = push_group(groups, part);
	}
	hwloc_bitmap_free(part);
	return rc;
}

int cpu_groups_by_type(struct cpu_groups *groups, hwloc_topology_t topology, hwloc_obj_type_t type,
		       hwloc_const_bitmap_t cpus)
{
	hwloc_bitmap_t rest = hwloc_bitmap_dup(cpus);
	int rc;

	*groups = (struct cpu_groups){0};
	if (!rest)
		return -ENOMEM;
	rc = take_objects(groups, topology, type, rest);
	if (!rc)
		rc = take_objects(groups, topology, HWLOC_OBJ_PACKAGE, rest);
	if (!rc)
		rc = push_group(groups, rest);
	sort_groups(groups);
	hwloc_bitmap_free(rest);
	if (rc)
		cpu_groups_release(groups);
	return rc;
}

/* Cuts a node into pieces that stay whole: L3 domains, or cores where a domain is too large. */
static int cut_group(struct cpu_groups *pieces, hwloc_topology_t topology, unsigned int max,
		     hwloc_const_bitmap_t node)
{
	struct cpu_groups caches = {0}, cores = {0};
	int rc = cpu_groups_by_type(&caches, topology, HWLOC_OBJ_L3CACHE, node);

	for (size_t i = 0; !rc && i < caches.nr; i++) {
		if (hwloc_bitmap_weight(caches.sets[i]) <= (int)max) {
			rc = push_group(pieces, caches.sets[i]);
			continue;
		}
		rc = cpu_groups_by_type(&cores, topology, HWLOC_OBJ_CORE, caches.sets[i]);
		for (size_t c = 0; !rc && c < cores.nr; c++)
			rc = push_group(pieces, cores.sets[c]);
		cpu_groups_release(&cores);
	}
	cpu_groups_release(&caches);
	sort_groups(pieces);
	return rc;
}

/* Joins neighbouring pieces up to `share` CPUs. Only a single piece may have more. */
static int join_groups(struct cpu_groups *groups, const struct cpu_groups *pieces,
		       unsigned int share)
{
	hwloc_bitmap_t sum = hwloc_bitmap_alloc();
	int rc = sum ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < pieces->nr; i++) {
		int more = hwloc_bitmap_weight(pieces->sets[i]);

		if (hwloc_bitmap_weight(sum) + more > (int)share) {
			rc = push_group(groups, sum);
			hwloc_bitmap_zero(sum);
		}
		if (!rc && hwloc_bitmap_or(sum, sum, pieces->sets[i]))
			rc = -ENOMEM;
	}
	if (!rc)
		rc = push_group(groups, sum);
	hwloc_bitmap_free(sum);
	return rc;
}

/* Returns the number of groups that join_groups() makes with that share. */
static unsigned int count_joined(const struct cpu_groups *pieces, unsigned int share)
{
	unsigned int nr = 1, sum = 0;

	for (size_t i = 0; i < pieces->nr; i++) {
		unsigned int more = hwloc_bitmap_weight(pieces->sets[i]);

		if (sum && sum + more > share) {
			nr++;
			sum = 0;
		}
		sum += more;
	}
	return nr;
}

/* Splits one node, by the smallest share that needs no more groups than `max` does. */
static int split_groups(struct cpu_groups *groups, hwloc_topology_t topology, unsigned int max,
			hwloc_const_bitmap_t node)
{
	struct cpu_groups pieces = {0};
	unsigned int share, fewest;
	int rc;

	if (hwloc_bitmap_weight(node) <= (int)max)
		return push_group(groups, node);
	rc = cut_group(&pieces, topology, max, node);
	if (!rc) {
		fewest = count_joined(&pieces, max);
		share = max;
		while (share > 1 && count_joined(&pieces, share - 1) == fewest)
			share--;
		rc = join_groups(groups, &pieces, share);
	}
	cpu_groups_release(&pieces);
	return rc;
}

int cpu_groups_by_load(struct cpu_groups *groups, hwloc_topology_t topology, unsigned int max,
		       hwloc_const_bitmap_t cpus)
{
	struct cpu_groups nodes;
	int rc = cpu_groups_by_type(&nodes, topology, HWLOC_OBJ_NUMANODE, cpus);

	*groups = (struct cpu_groups){0};
	for (size_t i = 0; !rc && i < nodes.nr; i++)
		rc = split_groups(groups, topology, max, nodes.sets[i]);
	cpu_groups_release(&nodes);
	sort_groups(groups);
	if (rc)
		cpu_groups_release(groups);
	return rc;
}

int cpu_groups_node(hwloc_topology_t topology, unsigned int cpu, hwloc_bitmap_t ret_cpus)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
		if (!hwloc_bitmap_isset(node->cpuset, cpu))
			continue;
		if (ret_cpus && hwloc_bitmap_copy(ret_cpus, node->cpuset))
			return -1;
		return (int)node->os_index;
	}
	if (ret_cpus)
		hwloc_bitmap_zero(ret_cpus);
	return -1;
}

void cpu_groups_release(struct cpu_groups *groups)
{
	for (size_t i = 0; i < groups->nr; i++)
		hwloc_bitmap_free(groups->sets[i]);
	free(groups->sets);
	*groups = (struct cpu_groups){0};
}
