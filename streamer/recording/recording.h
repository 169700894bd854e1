/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recording as a story: open, start, (the loop of record_loop.h), stop, close.
 *
 * Open forks the command (held), raises the limits of this process, makes the directory with empty
 * streams, opens and maps every ring, starts the writers, sets the filters, and puts a first `data`
 * there that is complete but for tasks and BPF programs: from here on a kill at any moment leaves a
 * readable capture. Until it has succeeded, nothing that the user had is changed, and a failure
 * leaves nothing behind. Start enables side-band, scans /proc, replaces `data`, enables the samples
 * and releases the command. Stop disables everything, lets the writers drain and write the rest,
 * joins them, takes the account and replaces `data` and tstream.json for the last time.
 *
 *	crew      rings, writers, streams (crew.h)
 *	part      the directory that is recorded into (part.h)
 *	rotation  from one part to the next, over these two (rotation.h)
 *
 * Threads: main thread only; it owns everything here. Writers own their rings between start and
 * join (writer.h).
 */
#ifndef TS_STREAMER_RECORDING_RECORDING_H
#define TS_STREAMER_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/plan/record_plan.h"
#include "streamer/recording/crew.h"
#include "streamer/recording/memory_segments.h"
#include "streamer/recording/on_snapshot.h"
#include "streamer/recording/part.h"
#include "streamer/recording/rotation.h"
#include "streamer/triggers/trigger.h"
#include "streamer/watch/cpu_absence.h"
#include "streamer/watch/hotplug.h"
#include "streamer/watch/target_life.h"
#include "streamer/watch/watch.h"
#include "streamer/watch/workload.h"

struct recording {
	struct record_plan *plan; /* not owned; its source is opened and closed here */
	struct ts_notes *notes;	  /* not owned */
	uint8_t uuid[16];
	struct on_snapshot hook;	/* --on-snapshot */
	struct memory_segments history; /* -M */
	struct workload workload;
	struct target_life lifeline;
	struct crew crew;
	struct part part; /* the one that is recorded into */
	struct hotplug hotplug;
	struct absences absences;
	uint64_t cpus_look_ns; /* when to look at the CPUs; TS_TIME_NEVER: when hotplug.fd tells */
	struct rotation rotation;
	uint64_t asked_ns; /* when somebody last gave a command, CLOCK_MONOTONIC */
	struct triggers triggers;
	bool is_open;
	uint64_t first_start_ns; /* samples first enabled, CLOCK_MONOTONIC; 0: not yet */
};

/*
 * `argv` is the whole command line; the plan's options name the command. The signals must be
 * blocked (watch.h): `caller` has how they stood before.
 */
int recording_open(struct recording *r, struct record_plan *plan, int argc, char **argv,
		   const struct caller_state *caller, struct ts_notes *notes, struct ts_error *err);

/*
 * Side-band is enabled, what exists is read and written to `data`, samples are enabled unless -D says
 * later, and the command is released. After a failure recording_stop() still ends what was begun, or
 * recording_withdraw() where part.start_ns is 0: no sample was enabled.
 */
int recording_start(struct recording *r, struct ts_error *err);
/* Ends it and takes its directory away again, whose predecessor is back at OUT. */
void recording_withdraw(struct recording *r);

/* Samples on and off while recording, all or one event by name; -ENOENT: no event has it. */
int recording_enable(struct recording *r, const char *event, struct ts_error *err);
int recording_disable(struct recording *r, const char *event, struct ts_error *err);

/*
 * To be called often: when part.disk.next_ns has come, and only then, looks at the directory, at each
 * stream and at what is free. -ENOENT: directory or a stream was removed; -ENOSPC: --min-free is
 * reached; with the sentence. The recording is to be stopped then.
 */
int recording_look_at_disk(struct recording *r, struct ts_error *err);

/*
 * To be called often: when cpus_look_ns has come, and only then, notes CPUs that went offline and
 * records again those that are back. What cannot be done is told in a note; the rest of the
 * recording goes on.
 */
void recording_look_at_cpus(struct recording *r);

/*
 * Ends it; after this `part.ledger` holds the account. The first thing that went wrong is the error:
 * what *err holds already (from recording_start(); else its code is 0), in a writer, or here. The
 * rest is done all the same, so that what was kept is readable.
 */
int recording_stop(struct recording *r, struct ts_error *err);

/* Frees; what was opened but never started leaves no trace. Accepts a zeroed one; idempotent. */
void recording_close(struct recording *r);

#endif
