// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/event_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"

static void add_group(struct event_groups *g, size_t nr_events, const struct event_group *group)
{
	if (group->first >= nr_events || group->nr > nr_events - group->first)
		return;
	for (uint32_t i = 0; i < group->nr; i++)
		if (g->of[group->first + i].nr > 1)
			return;
	for (uint32_t i = 0; i < group->nr; i++)
		g->of[group->first + i] = *group;
	g->nr_most = ts_max(g->nr_most, group->nr);
}

int event_groups_read(struct event_groups *g, const struct ts_header *header)
{
	struct ts_cursor c = ts_header_feature_cursor(header, TS_FEAT_GROUP_DESC);
	const size_t nr_events = header->events.nr;
	struct event_group group;
	uint32_t nr;

	*g = (struct event_groups){.nr_most = 1};
	g->of = calloc(nr_events + 1, sizeof(*g->of));
	if (!g->of)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_events; i++)
		g->of[i] = (struct event_group){i, 1, NULL};
	if (!ts_cursor_u32(&c, &nr))
		return 0;
	for (; nr && ts_cursor_string(&c, &group.name) && ts_cursor_u32(&c, &group.first) &&
	       ts_cursor_u32(&c, &group.nr);
	     nr--) {
		if (!strcmp(group.name, "{anon_group}"))
			group.name = "anon group";
		add_group(g, nr_events, &group);
	}
	return 0;
}

void event_groups_join(struct event_groups *g, size_t nr_events)
{
	for (size_t i = 0; i < nr_events; i++)
		g->of[i] = (struct event_group){0, (uint32_t)nr_events, NULL};
	g->nr_most = (uint32_t)nr_events;
}

void event_groups_release(struct event_groups *g)
{
	free(g->of);
	*g = (struct event_groups){0};
}
