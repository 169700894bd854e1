// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_callers.h"

#include <string.h>

#include "reader/runtime/text.h"

#define FEW_SHARE 20 /* samples: one in so many is not few */

struct called { /* samples, by their callers in user space */
	uint64_t nr_with, nr_unknown;
};

static bool is_unknown(const struct frame_look *look)
{
	return look->kind == FRAME_KIND_UNKNOWN && !strcmp(look->name, "[unknown]");
}

/* By dumps of the stack, or by the last branches, callers are found without frame pointers. */
static bool is_by_frame_pointer(const struct perf_event_attr *attr)
{
	const bool is_by_branches = attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
				    attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	return attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
	       !(attr->sample_type & PERF_SAMPLE_STACK_USER) && !is_by_branches;
}

/* Callers stand between the command and the leaf. Those that are joined with an unknown leaf do not count. */
static void count_path(struct called *c, const struct stack_paths *paths,
		       const struct stack_path *path)
{
	const uint32_t *looks = paths->numbers + path->first;
	bool has_callers = false, has_unknown = false;

	for (uint32_t i = 1; i + 1 < path->nr; i++) {
		const struct frame_look *look = &paths->looks->items[looks[i]];

		has_callers |= look->kind != FRAME_KIND_KERNEL;
		has_unknown |= is_unknown(look);
	}
	c->nr_with += has_callers ? path->weight[STACK_NEW].nr_samples : 0;
	c->nr_unknown += has_unknown ? path->weight[STACK_NEW].nr_samples : 0;
}

void html_callers_put(const struct html_source *s, struct ts_bytes *out)
{
	const uint64_t nr = s->paths->weight[STACK_NEW].nr_samples;
	struct called c = {0};

	if (!is_by_frame_pointer(&s->events->items[s->event].attr))
		return;
	for (size_t i = 0; i < s->paths->nr; i++)
		count_path(&c, s->paths, &s->paths->items[i]);
	if (c.nr_unknown && c.nr_unknown > c.nr_with / 2 &&
	    c.nr_unknown >= (nr + FEW_SHARE - 1) / FEW_SHARE)
		ts_bytes_printf(
			out,
			"%.0f%% of the samples with callers in user space have unknown ones: the "
			"program has no frame pointers; tstream record --call-graph dwarf "
			"finds its callers\n",
			100 * (double)c.nr_unknown / (double)c.nr_with);
}
