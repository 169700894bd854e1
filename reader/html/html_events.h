/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of the page: those that have samples, with their sums.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_HTML_HTML_EVENTS_H
#define TS_READER_HTML_HTML_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf/header.h"
#include "reader/page/timed_samples.h"

#define HTML_EVENTS_NONE UINT32_MAX

struct html_event {
	const struct ts_event *event;
	struct stack_weight weight; /* of its samples */
	uint64_t one_period;	    /* that of each of its samples; 0: they differ */
};

struct html_events {
	struct html_event *items; /* owned */
	uint32_t nr;
	uint32_t *of_event; /* owned; by number in the aggregate, or HTML_EVENTS_NONE */
	bool has_periods;   /* those of some event differ */
	uint16_t most_cpu;  /* the highest known CPU + 1; 0: none */
};

/* `events` are those of the samples, and must outlive *e. Returns 0 or -ENOMEM. */
int html_events_init(struct html_events *e, const struct ts_events *events,
		     const struct timed_samples *samples);
void html_events_release(struct html_events *e); /* accepts a zeroed one; idempotent */

/* Clocks count nanoseconds. */
bool html_event_is_clock(const struct html_event *event);

#endif
