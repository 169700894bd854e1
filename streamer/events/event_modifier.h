/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The letters behind an event: levels (user, kernel, hypervisor), sides (guest, host), precision,
 * pinned.
 *
 * Threads: pure functions.
 *
 * Source: get_event_modifier() in tools/perf/util/parse-events.c of the kernel tree.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_MODIFIER_H
#define TS_STREAMER_EVENTS_EVENT_MODIFIER_H

#include <stdbool.h>

#include "streamer/events/event.h"

/*
 * True if the text is one or more letters, each a modifier of perf (also if we do not support it).
 */
bool event_are_modifiers(const char *text);

/*
 * Applies the letters ("" for none) to the attr. `text` is the event as typed, for the message.
 * -EINVAL.
 */
int event_apply_modifiers(struct event *event, const char *letters, const char *text,
			  struct ts_error *err);

#endif
