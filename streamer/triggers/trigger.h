/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What asks for a snapshot by itself: events that fire (--switch-output-event) and pressure on the
 * machine (--trigger=psi:...).
 *
 *	watch.more  ->  triggers_take()  ->  due_ns, cause  ->  the loop makes the cut, or ends
 *
 * Of a trigger that fires again before min_interval_ns is over, and of one that fires while another waits
 * for its --after, nothing comes.
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
	int *owners;  /* owned; one a ring */
	struct ring *rings;
	size_t nr_rings;
	struct pinned_map *maps; /* owned; one an event, open where it has one */
	struct trigger_fd *fds;	 /* owned */
	size_t nr_fds;
	uint64_t last_ns; /* when one was taken, CLOCK_MONOTONIC; 0: none yet */

	uint64_t due_ns; /* when `cause` is to be obeyed; TS_TIME_NEVER: nothing is */
	struct cut_cause cause;
	enum trigger_action action;
};

/* Opens all of them, as the source is; events are still off. */
int triggers_open(struct triggers *t, const struct trigger_options *o, const struct source *source,
		  struct ts_error *err);
int triggers_enable(struct triggers *t, struct ts_error *err);
/*
 * A CPU is online, for the first time or again, and recorded: the kernel took events of everybody there
 * off it for good (perf_event_exit_cpu()), so they are opened anew; those of tasks stay.
 */
int triggers_welcome(struct triggers *t, const struct source *source, unsigned int cpu,
		     struct ts_error *err);
/* Puts their descriptors into the watch. */
void triggers_watch(const struct triggers *t, struct watch *w);
/* Looks at those that the watch has found ready, and forgets that. */
void triggers_take(struct triggers *t, struct watch *w, struct record_clock *clock);
/* The cause was obeyed. */
void triggers_obey(struct triggers *t);
void triggers_close(struct triggers *t); /* accepts a zeroed one; idempotent */

#endif
