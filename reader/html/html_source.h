/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that the page shows: the stacks of all events, each sample with its time, threads with names, losses by
 * time, and how far all that can be trusted.
 *
 * Threads: immutable.
 */
#ifndef TS_READER_HTML_HTML_SOURCE_H
#define TS_READER_HTML_HTML_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/page/named_threads.h"
#include "reader/page/stack_paths.h"
#include "reader/page/timed_gaps.h"
#include "reader/page/timed_samples.h"
#include "reader/runtime/progress.h"
#include "reader/trust/overview.h"

struct html_source {
	const char *title;     /* the command line that recorded it, or its path */
	const char *selection; /* as report words it; "": everything */
	const struct overview *captures;
	uint32_t nr_captures;
	const struct ts_events *events;	 /* of all captures */
	uint32_t event;			 /* the one of the still graph */
	const struct stack_paths *paths; /* of all events; weighed by that event */
	const struct timed_samples *samples;
	const struct named_threads *threads;
	const struct timed_gaps *gaps;
	bool has_times;	     /* every sample carries its time */
	uint64_t most_bytes; /* of the page */
	struct memory *memory;
	const struct progress *progress;
	unsigned int nr_workers;
};

#endif
