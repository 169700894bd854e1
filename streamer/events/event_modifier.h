/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The letters behind an event: which levels and sides count, how precise, pinned.
 *
 * Threads: pure functions.
 *
 * Source: get_event_modifier() in tools/perf/util/parse-events.c of the kernel tree.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_MODIFIER_H
#define TS_STREAMER_EVENTS_EVENT_MODIFIER_H

#include <stdbool.h>

#include "streamer/events/event.h"

/* True for one or more letters, each a modifier of perf's (also those that are not supported). */
bool event_are_modifiers(const char *text);

/*
 * Applies the letters ("" for none) to the attr. `text` is the event as it was typed, for the
 * sentence. -EINVAL.
 */
int event_apply_modifiers(struct event *event, const char *letters, const char *text,
			  struct ts_error *err);

#endif
