/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms, the part between slashes: cpu-clock/freq=100,name=ticks/, cpu/event=0x3c,umask=1/.
 *
 * Threads: pure functions that also read sysfs.
 */
#ifndef TS_STREAMER_EVENTS_EVENT_TERM_H
#define TS_STREAMER_EVENTS_EVENT_TERM_H

#include "streamer/events/event.h"

/*
 * Applies the comma list of terms. `pmu` is the unit whose formats and named events are allowed
 * beside the general terms; NULL: none. `text` is the event as typed, for the message. -EINVAL.
 */
int event_apply_terms(struct event *event, const char *terms, const char *pmu,
		      const struct event_roots *roots, const char *text, struct ts_error *err);

/* Refuses the event with "cannot record event 'TEXT': REASON"; returns -code. */
int event_refuse(struct ts_error *err, int code, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
