/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event that a picture or an export shows: one, since weights of different events do not add up.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_READER_PAGE_SHOWN_EVENT_H
#define TS_READER_PAGE_SHOWN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/perf/header.h"
#include "reader/stacks/aggregate.h"

/*
 * The number of the event with this name; modifiers may be left out ("cycles" for "cycles:u") where
 * that is one event. -EINVAL: there is none, or there are several.
 */
int shown_event_named(const struct ts_events *events, const char *name, uint32_t *ret,
		      struct ts_error *err);
/*
 * The event to show: the named one, or without a name (NULL) the first that has stacks; 0 if none
 * has. *ret_nr: the events that have stacks. -EINVAL: as above, or others have stacks, but not it.
 */
int shown_event_find(const struct ts_events *events, const struct aggregate *a, const char *name,
		     uint32_t *ret, uint32_t *ret_nr, struct ts_error *err);
/* Has an event stacks, by its number? */
bool shown_event_has_stacks(const struct aggregate *a, uint32_t event);

#endif
