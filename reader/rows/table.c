// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/table.h"

#include "common/base/min_max.h"
#include "common/base/sum.h"

void table_cut(struct table *t, uint32_t event, size_t nr)
{
	t->events[event].nr = ts_min(t->events[event].nr, nr);
}

bool table_has_key(const struct table *t, uint32_t event, enum table_key key)
{
	const struct tags_plan *tags = t->aggregate->tags.plan;
	const struct sample_tag_column *column =
		key >= TABLE_TAG ? &tags->columns[key - TABLE_TAG] : NULL;

	if (!column || column->kind != SAMPLE_TAG_FIELD || column->event == event)
		return true;
	for (size_t i = 0; i < tags->nr; i++)
		if (tags->columns[i].kind == SAMPLE_TAG_EVENT)
			return true; /* one table for all events */
	return false;
}

void table_depths_find(struct table_depths *d, const struct table *t, uint32_t event)
{
	uint8_t depth_of[TABLE_NR_KEYS + 1] = {0}; /* by level */
	const struct table_plan *plan = &t->plan;

	*d = (struct table_depths){.nr = 1};
	if (!plan->is_nested)
		return;
	for (size_t i = 0; i < plan->nr_keys; i++)
		if (table_has_key(t, event, plan->keys[i]))
			depth_of[plan->levels[i] + 1] = 1;
	for (size_t level = 1; level <= TABLE_NR_KEYS; level++)
		depth_of[level] = (uint8_t)(depth_of[level] + depth_of[level - 1]);
	for (size_t i = 0; i < plan->nr_keys; i++)
		d->of[plan->keys[i]] = depth_of[plan->levels[i]];
	d->nr = depth_of[TABLE_NR_KEYS] ? depth_of[TABLE_NR_KEYS] : 1;
}

uint64_t table_sum(const struct table_entry *e, enum table_key column, uint32_t member)
{
	const struct table_sums *sums = member ? &e->members[member - 1] : &e->sums;

	switch (column) {
	case TABLE_CHILDREN:
		return sums->total_period;
	case TABLE_SAMPLES:
		return sums->self_samples;
	case TABLE_SYS:
	case TABLE_USER:
	case TABLE_GUEST_SYS:
	case TABLE_GUEST_USER:
		return sums->mode_period[column - TABLE_SYS];
	default:
		return sums->self_period;
	}
}

struct table_sums table_event_sums(const struct table *t, uint32_t event)
{
	const struct event_group group = event_group_of(t->plan.groups, event);
	struct table_sums sums = {0};

	for (uint32_t i = 0; group.first == event && i < group.nr; i++) {
		sums.self_samples += t->events[event + i].nr_samples;
		sums.self_period = ts_sum(sums.self_period, t->events[event + i].period);
	}
	return sums;
}

const char *table_dso_name(const struct frame *frame)
{
	return frame->module ? frame->module->short_name : "[unknown]";
}
