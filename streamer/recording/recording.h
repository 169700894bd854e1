/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recording from begin to end: open, start, (the loop of record_loop.h), stop, close.
 *
 * - Open forks the command (held), raises the limits of this process and makes the directory with
 *   empty streams. It opens and maps every ring, starts the writers, and sets the filters. Then it
 *   writes a first `data` that is complete but for tasks and BPF programs: from here on a kill at
 *   any moment leaves a readable capture. Before it succeeds it changes nothing that the user had,
 *   and a failure leaves nothing behind.
 * - Start enables side-band, scans /proc, replaces `data`, enables the samples and releases the
 *   command.
 * - Stop disables everything, lets the writers drain and write the rest, and joins them. Then it
 *   takes the account and replaces `data` and tstream.json for the last time.
 *
 *	crew      rings, writers, streams (crew.h)
 *	part      the directory that is recorded into (part.h)
 *	rotation  from one part to the next, over these two (rotation.h)
 *
 * Threads: main thread only. Main owns everything here. Writers own their rings between start and
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
#include "streamer/recording/names_again.h"
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
	uint64_t files_look_ns;	 /* when to look at mapped files; TS_TIME_NEVER: if a writer asks */
	uint64_t files_write_ns; /* not before: `data` with their build-ids */
	bool has_new_files;	 /* `data` lacks build-ids that are known */
	uint64_t cpus_look_ns; /* when to look at the CPUs; TS_TIME_NEVER: if hotplug.fd is ready */
	struct rotation rotation;
	struct names_again names;
	uint64_t asked_ns; /* time of the newest command from outside, CLOCK_MONOTONIC */
	struct triggers triggers;
	bool is_open;
	uint64_t first_start_ns; /* when samples were first enabled, CLOCK_MONOTONIC; 0: not yet */
};

/*
 * `argv` is the whole command line; the plan's options name the command. The signals must be
 * blocked (watch.h); `caller` has their state from before.
 */
int recording_open(struct recording *r, struct record_plan *plan, int argc, char **argv,
		   const struct caller_state *caller, struct ts_notes *notes, struct ts_error *err);

/*
 * Enables side-band, reads what exists and writes it to `data`, enables samples unless -D delays
 * them, and releases the command. After a failure recording_stop() still ends what was begun. If
 * part.start_ns is 0, no sample was enabled, and recording_withdraw() may be called instead.
 */
int recording_start(struct recording *r, struct ts_error *err);
/*
 * Ends the recording and removes its directory; the directory that was at OUT before is back there.
 */
void recording_withdraw(struct recording *r);

/*
 * Switches samples on or off while recording, all or those of one event; -ENOENT: no event has that
 * name.
 */
int recording_enable(struct recording *r, const char *event, struct ts_error *err);
int recording_disable(struct recording *r, const char *event, struct ts_error *err);

/*
 * To be called often; does nothing before part.disk.next_ns. Looks at the directory, at each stream
 * and at the free space. The caller must stop the recording after an error, which comes with its
 * sentence: -ENOENT: the directory or a stream was removed; -ENOSPC: --min-free is reached.
 */
int recording_look_at_disk(struct recording *r, struct ts_error *err);

/*
 * To be called often; does nothing before cpus_look_ns. Notes CPUs that went offline and records
 * again those that are back. A failure there is a note, and the rest of the recording goes on.
 */
void recording_look_at_cpus(struct recording *r);

/*
 * The same before files_look_ns, with --no-buildid-mmap: reads the build-ids of files that writers
 * have seen mapped for the first time. They are in `data` within about a second. An error is one of
 * memory or of the disk.
 */
int recording_look_at_files(struct recording *r, struct ts_error *err);

/*
 * Ends the recording; afterwards `part.ledger` holds the account. The first failure is the error:
 * the one that *err already holds (from recording_start(); else its code must be 0), then a
 * writer's, then one of this function. All steps are done all the same, so that the records that
 * were kept are readable.
 */
int recording_stop(struct recording *r, struct ts_error *err);

/*
 * Frees everything. A recording that was opened but not started leaves no trace. Accepts a zeroed
 * struct; idempotent.
 */
void recording_close(struct recording *r);

#endif
