// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report.h"

#include <string.h>

#include "reader/report/joined_captures.h"

const char *report_host(const struct report *r, const struct table_entry *e)
{
	const struct tags *tags = &r->table->aggregate->tags;

	for (size_t i = 0; r->join && tags->plan && i < tags->plan->nr; i++)
		if (tags->plan->columns[i].kind == SAMPLE_TAG_HOST)
			return tags_text(tags, table_base(r->table, e)->tag, i);
	return NULL;
}

const struct tasks *report_tasks(const struct report *r, const struct table_entry *e)
{
	const char *host = report_host(r, e);

	for (size_t i = 0; host && i < r->join->nr; i++)
		if (!strcmp(r->join->items[i].host, host))
			return r->join->items[i].tasks;
	return r->tasks;
}

bool report_shows(const struct report *r, const struct table_entry *e)
{
	uint64_t total = r->table->events[table_base(r->table, e)->event].period;

	return (total ? 100.0 * (double)e->sums.total_period / (double)total : 0.0) >=
	       r->style.min_percent;
}
