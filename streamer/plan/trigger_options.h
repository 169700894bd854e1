/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of triggers (trigger.h) on the command line.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_PLAN_TRIGGER_OPTIONS_H
#define TS_STREAMER_PLAN_TRIGGER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "streamer/events/event.h"

#define TRIGGER_PSI_MAX 7

enum trigger_action { TRIGGER_SNAPSHOT, TRIGGER_STOP };

struct trigger_psi {	      /* --trigger=psi:RESOURCE:STALL/WINDOW[:ACTION] */
	const char *text;     /* not owned; the value */
	const char *resource; /* static: cpu, memory, io */
	uint64_t stall_us, window_us;
	enum trigger_action action;
};

struct trigger_options {
	struct trigger_psi psi[TRIGGER_PSI_MAX];
	size_t nr_psi;
	struct event_list events; /* --switch-output-event, --trigger=event:; owned */
	uint64_t stops;		  /* bit i: event i ends the recording */
	uint64_t min_interval_ns; /* --min-interval */
	uint64_t after_ns;	  /* --after */
};

/* True if it names an event, which a --filter may follow. */
bool trigger_is_event(const char *text);
/*
 * Adds a --trigger. -EINVAL, with a sentence that has the right form; else as trigger_add_events().
 */
int trigger_add(struct trigger_options *o, const char *text, struct ts_error *err);
/*
 * Adds the events of a --switch-output-event. Errors as event_parse(), and -EINVAL for an event
 * that nothing could fire: bpf-output without a map.
 */
int trigger_add_events(struct trigger_options *o, const char *text, struct ts_error *err);
/* True if some trigger finishes a directory. */
bool trigger_makes_snapshots(const struct trigger_options *o);
/* The action that an event of the triggers asks for. */
enum trigger_action trigger_action_of(const struct trigger_options *o, const struct event *event);

#endif
