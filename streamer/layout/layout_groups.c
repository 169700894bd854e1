// SPDX-License-Identifier: Apache-2.0
/*
 * Writers for groups of the topology. A --threads keyword names the kind of the groups. Without
 * --threads it is the finest kind that does not make too many writers.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "streamer/layout/layout_draft.h"
#include "streamer/machine/cpu_groups.h"

struct keyword {
	const char *name;
	hwloc_obj_type_t type;
};

/* Like perf, we accept each value that begins with the word, in upper or lower case. */
static const struct keyword keywords[] = {
	{"cpu", HWLOC_OBJ_PU},	      {"core", HWLOC_OBJ_CORE},	     {"l3", HWLOC_OBJ_L3CACHE},
	{"die", HWLOC_OBJ_DIE},	      {"socket", HWLOC_OBJ_PACKAGE}, {"package", HWLOC_OBJ_PACKAGE},
	{"numa", HWLOC_OBJ_NUMANODE}, {"node", HWLOC_OBJ_NUMANODE},
};

/*
 * Step 3 for a group: its writer runs on the CPUs of the group. If the cpuset or isolation leaves
 * none of them, it runs on others of its memory node, else on any allowed CPU.
 */
static int place_group(const struct layout_draft *draft, hwloc_const_bitmap_t group,
		       hwloc_bitmap_t ret)
{
	const struct layout_input *in = draft->in;
	hwloc_bitmap_t node = hwloc_bitmap_alloc(), usable = hwloc_bitmap_alloc();
	int rc = -1;

	if (!node || !usable || hwloc_bitmap_and(usable, in->allowed, in->online))
		goto out;
	hwloc_bitmap_and(ret, usable, group);
	if (hwloc_bitmap_andnot(ret, ret, in->isolated))
		goto out;
	rc = 0;
	if (!hwloc_bitmap_iszero(ret))
		goto out;
	layout_draft_note_cpus(draft, group,
			       "isolated or outside the allowed cpuset: the writer runs elsewhere");
	cpu_groups_node(in->topology, hwloc_bitmap_first(group), node);
	hwloc_bitmap_and(ret, usable, node);
	hwloc_bitmap_andnot(ret, ret, in->isolated);
	if (hwloc_bitmap_iszero(ret))
		hwloc_bitmap_andnot(ret, usable, in->isolated);
	if (hwloc_bitmap_iszero(ret))
		hwloc_bitmap_copy(ret, hwloc_bitmap_iszero(usable) ? in->allowed : usable);
out:
	hwloc_bitmap_free(node);
	hwloc_bitmap_free(usable);
	return rc ? layout_draft_no_memory(draft) : 0;
}

/* Steps 2 and 3 for groups of the topology. Until step 4 `cpus` is the whole group. */
static int add_groups(struct layout_draft *draft, const struct cpu_groups *groups)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < groups->nr; i++) {
		struct layout_writer *writer;

		if (!hwloc_bitmap_intersects(groups->sets[i], draft->wanted))
			continue;
		writer = layout_draft_add_writer(draft);
		if (!writer || hwloc_bitmap_copy(writer->cpus, groups->sets[i]))
			rc = layout_draft_no_memory(draft);
		else
			rc = place_group(draft, groups->sets[i], writer->affinity);
	}
	return rc;
}

static int add_keyword(struct layout_draft *draft, const struct keyword *keyword)
{
	struct cpu_groups groups;
	int rc = cpu_groups_by_type(&groups, draft->in->topology, keyword->type, draft->in->online);

	if (rc)
		return layout_draft_no_memory(draft);
	draft->layout->kind = keyword->name;
	rc = add_groups(draft, &groups);
	cpu_groups_release(&groups);
	return rc;
}

int layout_draft_add_keyword(struct layout_draft *draft, const char *spec)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (!strncasecmp(spec, keywords[i].name, strlen(keywords[i].name)))
			return add_keyword(draft, &keywords[i]);
	return -ENOENT;
}

/*
 * True if the groups with a recorded CPU are not too many, and each has a CPU that a writer may run
 * on.
 */
static bool are_worth_a_writer(const struct layout_draft *draft, const struct cpu_groups *groups)
{
	const struct layout_input *in = draft->in;
	hwloc_bitmap_t usable = hwloc_bitmap_alloc();
	bool can_run = usable && !hwloc_bitmap_and(usable, in->allowed, in->online) &&
		       !hwloc_bitmap_andnot(usable, usable, in->isolated);
	size_t nr = 0;

	for (size_t i = 0; can_run && i < groups->nr; i++) {
		if (!hwloc_bitmap_intersects(groups->sets[i], draft->wanted))
			continue;
		nr++;
		can_run = hwloc_bitmap_intersects(groups->sets[i], usable);
	}
	hwloc_bitmap_free(usable);
	return can_run && nr <= LAYOUT_WRITERS_FEW;
}

/*
 * Takes the finest kind (CPU, core, by load) that does not make too many writers; see decision 34.
 */
static int group_by_size(const struct layout_draft *draft, struct cpu_groups *groups)
{
	static const hwloc_obj_type_t types[] = {HWLOC_OBJ_PU, HWLOC_OBJ_CORE};
	const struct layout_input *in = draft->in;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		int rc = cpu_groups_by_type(groups, in->topology, types[i], in->online);

		if (rc || are_worth_a_writer(draft, groups))
			return rc;
		cpu_groups_release(groups);
	}
	return cpu_groups_by_load(groups, in->topology, LAYOUT_WRITER_CPUS, in->online);
}

int layout_draft_add_by_size(struct layout_draft *draft)
{
	struct cpu_groups groups;
	int rc = group_by_size(draft, &groups);

	if (rc)
		return layout_draft_no_memory(draft);
	draft->layout->kind = "auto";
	rc = add_groups(draft, &groups);
	cpu_groups_release(&groups);
	return rc;
}
