// SPDX-License-Identifier: Apache-2.0
/* Writers for the pairs of the user: --threads=CPUS/AFFINITY[:...]. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cpus.h"
#include "streamer/layout/layout_draft.h"

static int hint_pairs(const struct layout_draft *draft)
{
	return ts_error_hint(
		draft->err, "give cpu, core, l3, die, socket, numa, or CPUS/AFFINITY pairs such as "
			    "0-3/3:4-7/4");
}

static int refuse_pair(const struct layout_draft *draft, const char *pair, const char *reason)
{
	ts_error_set(draft->err, EINVAL, "cannot lay out the writers [%s]: '%s' %s", draft->option,
		     pair, reason);
	return hint_pairs(draft);
}

/*
 * Parses one half of a pair: a list of existing CPUs, from which offline ones are removed. It must
 * not be empty.
 */
static int parse_half(const struct layout_draft *draft, const char *pair, const char *list,
		      hwloc_bitmap_t ret)
{
	const char *detail;
	struct ts_error reason;
	int rc;

	if (ts_cpus_parse(list, ret, &reason)) {
		detail = strstr(reason.text, ": ");
		ts_error_set(draft->err, EINVAL, "cannot lay out the writers [%s]: in '%s', %s",
			     draft->option, pair, detail ? detail + 2 : reason.text);
		return hint_pairs(draft);
	}
	if (hwloc_bitmap_iszero(ret))
		return refuse_pair(draft, pair, "names no CPU on one side of the '/'");
	rc = layout_draft_settle_named(draft, ret);
	if (!rc && hwloc_bitmap_iszero(ret))
		rc = refuse_pair(draft, pair, "names only CPUs that are offline");
	return rc;
}

/* Parses the user's affinity. It may name isolated CPUs, but none outside the cpuset. */
static int parse_affinity(const struct layout_draft *draft, const char *pair, const char *list,
			  hwloc_bitmap_t ret)
{
	hwloc_bitmap_t outside = hwloc_bitmap_alloc();
	int rc = outside ? parse_half(draft, pair, list, ret) : layout_draft_no_memory(draft);

	if (!rc && (hwloc_bitmap_andnot(outside, ret, draft->in->allowed) ||
		    hwloc_bitmap_and(ret, ret, draft->in->allowed)))
		rc = layout_draft_no_memory(draft);
	if (!rc && hwloc_bitmap_iszero(ret))
		rc = layout_draft_refuse_cpus(draft, outside,
					      "outside the cpuset that tstream may run on");
	else if (!rc)
		layout_draft_note_cpus(draft, outside,
				       "outside the allowed cpuset: no writer runs there");
	hwloc_bitmap_free(outside);
	return rc;
}

/* Refuses a text without '/': an unknown keyword, half a pair, or a hexadecimal mask. */
static int refuse_single(const struct layout_draft *draft, const char *text)
{
	refuse_pair(draft, text, "is not a layout, and has no '/' before an affinity");
	if (!strncmp(text, "0x", 2))
		ts_error_hint(draft->err, "list CPUs by number: 0-1/0 is a writer for CPUs 0 and 1 "
					  "that runs on CPU 0");
	else if (strspn(text, "0123456789,-") == strlen(text))
		ts_error_hint(
			draft->err,
			"a pair also needs the CPUs on which its writer runs: --threads=%s/%s",
			text, text);
	return -EINVAL;
}

/* Adds a writer for "CPUS/AFFINITY". Changes the text. */
static int add_pair(struct layout_draft *draft, const char *pair, char *text)
{
	char *affinity = strchr(text, '/');
	struct layout_writer *writer;
	int rc;

	if (!affinity)
		return refuse_single(draft, pair);
	*affinity++ = '\0';
	if (strchr(affinity, '/'))
		return refuse_pair(draft, pair, "has more than one '/'");
	writer = layout_draft_add_writer(draft);
	if (!writer)
		return layout_draft_no_memory(draft);
	rc = parse_half(draft, pair, text, writer->cpus);
	return rc ? rc : parse_affinity(draft, pair, affinity, writer->affinity);
}

int layout_draft_add_masks(struct layout_draft *draft)
{
	char *spec = strdup(draft->in->spec), *rest = spec, *text;
	int rc = spec ? 0 : layout_draft_no_memory(draft);

	draft->layout->kind = "mask";
	while (!rc && (text = strsep(&rest, ":"))) {
		char *pair;

		if (!*text) /* perf accepts "0/0:" */
			continue;
		pair = strdup(text);
		rc = pair ? add_pair(draft, pair, text) : layout_draft_no_memory(draft);
		free(pair);
	}
	if (!rc && !draft->layout->nr)
		rc = refuse_pair(draft, draft->in->spec, "names no CPU");
	free(spec);
	return rc;
}

int layout_draft_check_affinities(const struct layout_draft *draft)
{
	struct layout *layout = draft->layout;
	hwloc_bitmap_t seen = hwloc_bitmap_alloc(), twice = hwloc_bitmap_alloc();
	int rc = seen && twice ? 0 : layout_draft_no_memory(draft);

	for (size_t i = 0; !rc && i < layout->nr; i++) {
		hwloc_bitmap_and(twice, seen, layout->writers[i].affinity);
		rc = layout_draft_refuse_cpus(draft, twice, "in the affinities of two writers");
		if (rc == -EINVAL)
			ts_error_hint(draft->err,
				      "give each writer its own CPUs to run on: 0-1/0:2-3/2");
		hwloc_bitmap_or(seen, seen, layout->writers[i].affinity);
	}
	hwloc_bitmap_free(seen);
	hwloc_bitmap_free(twice);
	return rc;
}
