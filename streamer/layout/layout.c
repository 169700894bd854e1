// SPDX-License-Identifier: Apache-2.0
/*
 * How a plan is made:
 *
 *	1. wanted samples: -C without offline CPUs, else all online CPUs
 *	2. masks: for a keyword the groups of the topology, else the user's pairs; without
 *	   --threads one group for each CPU or core if these are few, else groups by load
 *	3. affinity: a writer runs on its own group, inside the cpuset and off isolated CPUs, or on
 *	   the user's affinity
 *	4. samples: a writer gets the wanted CPUs of its mask; a writer without any is dropped
 *	   (keyword) or is an error (user's pair)
 *	5. side-band: each online CPU goes to the writer whose mask has it, else to the first writer
 */
#include "streamer/layout/layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cpus.h"
#include "streamer/layout/layout_draft.h"

/* Step 1. */
static int settle_wanted(struct layout_draft *draft)
{
	const struct layout_input *in = draft->in;
	int rc;

	draft->wanted = hwloc_bitmap_dup(in->monitored ? in->monitored : in->online);
	if (!draft->wanted)
		return layout_draft_no_memory(draft);
	rc = layout_draft_settle_named(draft, draft->wanted);
	if (!rc && hwloc_bitmap_iszero(draft->wanted))
		rc = ts_error_set(
			draft->err, EINVAL,
			"cannot lay out the writers: all CPUs to be recorded are offline");
	return rc;
}

static void release_writer(struct layout_writer *writer)
{
	hwloc_bitmap_free(writer->cpus);
	hwloc_bitmap_free(writer->sideband_cpus);
	hwloc_bitmap_free(writer->expected_cpus);
	hwloc_bitmap_free(writer->expected_sideband_cpus);
	hwloc_bitmap_free(writer->affinity);
	hwloc_bitmap_free(writer->nodes);
}

/* Step 2. */
static int add_writers(struct layout_draft *draft)
{
	const char *spec = draft->in->spec;
	int code;

	if (!spec)
		return layout_draft_add_by_size(draft);
	if (!*spec)
		spec = "cpu";
	code = layout_draft_add_keyword(draft, spec);
	return code == -ENOENT ? layout_draft_add_masks(draft) : code;
}

/* Step 5, while `cpus` is still the whole mask. */
static int assign_sideband(struct layout_draft *draft)
{
	struct layout *layout = draft->layout;
	hwloc_bitmap_t rest = hwloc_bitmap_dup(draft->in->online);

	if (!rest)
		return layout_draft_no_memory(draft);
	for (size_t i = 0; i < layout->nr; i++) {
		hwloc_bitmap_and(layout->writers[i].sideband_cpus, layout->writers[i].cpus, rest);
		hwloc_bitmap_andnot(rest, rest, layout->writers[i].sideband_cpus);
	}
	hwloc_bitmap_or(layout->writers[0].sideband_cpus, layout->writers[0].sideband_cpus, rest);
	hwloc_bitmap_free(rest);
	return 0;
}

static int refuse_empty(const struct layout_draft *draft, size_t writer)
{
	ts_error_set(draft->err, EINVAL,
		     "cannot lay out the writers [%s]: pair %zu has none of the recorded CPUs",
		     draft->option, writer + 1);
	return ts_error_hint(draft->err, "widen -C, or drop that pair");
}

/* Step 4: gives each CPU's samples to a writer. CPUs with no writer or with two are errors. */
static int assign_samples(struct layout_draft *draft)
{
	struct layout *layout = draft->layout;
	hwloc_bitmap_t rest = hwloc_bitmap_dup(draft->wanted), twice = hwloc_bitmap_alloc();
	int rc = rest && twice ? 0 : layout_draft_no_memory(draft);

	for (size_t i = 0; !rc && i < layout->nr; i++) {
		hwloc_bitmap_t cpus = layout->writers[i].cpus;

		hwloc_bitmap_and(cpus, cpus, draft->wanted);
		if (hwloc_bitmap_iszero(cpus))
			rc = refuse_empty(draft, i);
		hwloc_bitmap_andnot(twice, cpus, rest);
		if (!rc &&
		    (rc = layout_draft_refuse_cpus(draft, twice, "in the masks of two writers")))
			ts_error_hint(draft->err, "list each CPU in one mask only: 0-1/0:2-3/2");
		hwloc_bitmap_andnot(rest, rest, cpus);
	}
	if (!rc && (rc = layout_draft_refuse_cpus(draft, rest,
						  "recorded, but not in the mask of any writer")))
		ts_error_hint(draft->err, "add them to a mask, or leave them out with -C");
	hwloc_bitmap_free(rest);
	hwloc_bitmap_free(twice);
	return rc;
}

static int find_nodes(struct layout_draft *draft)
{
	hwloc_topology_t topology = draft->in->topology;

	for (size_t i = 0; i < draft->layout->nr; i++) {
		struct layout_writer *writer = &draft->layout->writers[i];

		writer->nodes = hwloc_bitmap_alloc();
		if (!writer->nodes ||
		    hwloc_cpuset_to_nodeset(topology, writer->affinity, writer->nodes))
			return layout_draft_no_memory(draft);
	}
	return 0;
}

int layout_init(struct layout *layout, const struct layout_input *in, struct ts_notes *notes,
		struct ts_error *err)
{
	struct layout_draft draft = {
		.in = in, .layout = layout, .notes = notes, .err = err, .option = "-C"};
	char option[128];
	int rc;

	*layout = (struct layout){0};
	snprintf(option, sizeof(option), "--threads%s%s", in->spec && *in->spec ? "=" : "",
		 in->spec ? in->spec : "");
	rc = settle_wanted(&draft);
	draft.option = option;
	if (!rc)
		rc = add_writers(&draft);
	if (!rc && !strcmp(layout->kind, "mask"))
		rc = layout_draft_check_affinities(&draft);
	if (!rc)
		rc = assign_sideband(&draft);
	if (!rc)
		rc = assign_samples(&draft);
	if (!rc)
		rc = find_nodes(&draft);
	hwloc_bitmap_free(draft.wanted);
	if (rc)
		layout_release(layout);
	return rc;
}

void layout_release(struct layout *layout)
{
	for (size_t i = 0; i < layout->nr; i++)
		release_writer(&layout->writers[i]);
	free(layout->writers);
	*layout = (struct layout){0};
}
