/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events of a capture share a table: those of one group ({a,b}), or all.
 *
 * The members of a group have consecutive numbers. The rows of a group stand at its first event,
 * and every column of sums has one sum for each member.
 *
 * Threads: immutable once read.
 */
#ifndef TS_READER_ROWS_EVENT_GROUPS_H
#define TS_READER_ROWS_EVENT_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/perf/header.h"

struct event_group {
	uint32_t first, nr; /* events first .. first + nr - 1; at least the event itself */
	const char *name;   /* perf's name of the group; NULL: it was not recorded as a group */
};

struct event_groups {
	struct event_group *of; /* by event; owned */
	uint32_t nr_most;	/* members of the largest one; 1: there are none */
};

/*
 * Reads the groups from the header; groups of events that do not exist are left out. Returns 0 or
 * -ENOMEM.
 */
int event_groups_read(struct event_groups *g, const struct ts_header *header);
/* Makes one group of all events. */
void event_groups_join(struct event_groups *g, size_t nr_events);
void event_groups_release(struct event_groups *g); /* accepts a zeroed one; idempotent */

/* The group of an event; without groups (NULL) a group of its own. */
static inline struct event_group event_group_of(const struct event_groups *g, uint32_t event)
{
	return g ? g->of[event] : (struct event_group){event, 1, NULL};
}

#endif
