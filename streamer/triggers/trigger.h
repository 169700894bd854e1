/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triggers ask for a snapshot: events that fire (--switch-output-event) and pressure on the machine
 * (--trigger=psi:...).
 *
 *	watch.more  ->  triggers_take()  ->  due_ns, cause  ->  the loop makes the cut, or ends
 *
 * A trigger that fires before min_interval_ns is over is ignored, and so is one that fires while
 * another waits for its --after. A trigger that ends the recording is obeyed even then.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_TRIGGERS_TRIGGER_H
#define TS_STREAMER_TRIGGERS_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "streamer/machine/record_clock.h"
#include "streamer/plan/trigger_options.h"
#include "streamer/directory/cut.h"
#include "streamer/rings/ring.h"
#include "streamer/rings/source.h"
#include "streamer/triggers/pinned_map.h"
#include "streamer/watch/watch.h"

struct trigger_fd { /* one open event */
	int fd;
	uint32_t event; /* index into options.events */
	uint64_t id;
};

struct triggers {
	const struct trigger_options *options; /* not owned; NULL: not open */
	int psi_fds[TRIGGER_PSI_MAX];
	int epoll_fd; /* of the owners; -1: no events */
	int *owners;  /* owned; one for each ring */
	struct ring *rings;
	size_t nr_rings;
	struct pinned_map *maps; /* owned; one for each event, open if it has a map */
	struct trigger_fd *fds;	 /* owned */
	size_t nr_fds;
	uint64_t last_ns; /* when the last one was accepted, CLOCK_MONOTONIC; 0: none yet */

	uint64_t due_ns; /* when `cause` is to be obeyed; TS_TIME_NEVER: none */
	struct cut_cause cause;
	enum trigger_action action;
};

/* Opens all triggers, events for the CPUs and tasks of the source; events are still off. */
int triggers_open(struct triggers *t, const struct trigger_options *o, const struct source *source,
		  struct ts_error *err);
int triggers_enable(struct triggers *t, struct ts_error *err);
/*
 * A CPU is online, for the first time or again, and recorded. The kernel took the events of
 * everybody off it for good (perf_event_exit_cpu()), so they are opened anew. Events of tasks stay.
 */
int triggers_add_cpu(struct triggers *t, const struct source *source, unsigned int cpu,
		     struct ts_error *err);
/* Adds their descriptors to the watch. */
void triggers_watch(const struct triggers *t, struct watch *w);
/* Looks at the triggers that the watch has found ready, and clears their has_fired. */
void triggers_take(struct triggers *t, struct watch *w, struct record_clock *clock);
/* To be called when the cause was obeyed. */
void triggers_clear_due(struct triggers *t);
void triggers_close(struct triggers *t); /* accepts a zeroed one; idempotent */

#endif
