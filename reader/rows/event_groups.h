/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events of a capture share a table: those of a group ({a,b}), or all of them.
 *
 * The members of a group follow each other; its rows are its first event's, with a sum of each
 * member in every column of sums.
 *
 * Threads: immutable once made.
 */
#ifndef TS_READER_ROWS_EVENT_GROUPS_H
#define TS_READER_ROWS_EVENT_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/perf/header.h"

struct event_group {
	uint32_t first, nr; /* events first .. first + nr; an event of none is one of its own */
	const char *name;   /* as perf calls it; NULL: it was not recorded so */
};

struct event_groups {
	struct event_group *of; /* by event; owned */
	uint32_t nr_most;	/* members of the largest one; 1: there are none */
};

/* As the header tells; what it tells of events that are not there is left out. -ENOMEM. */
int event_groups_read(struct event_groups *g, const struct ts_header *header);
/* All events as one group. */
void event_groups_join(struct event_groups *g, size_t nr_events);
void event_groups_release(struct event_groups *g); /* accepts a zeroed one; idempotent */

/* Of an event; without groups (NULL) one of its own. */
static inline struct event_group event_group_of(const struct event_groups *g, uint32_t event)
{
	return g ? g->of[event] : (struct event_group){event, 1, NULL};
}

#endif
