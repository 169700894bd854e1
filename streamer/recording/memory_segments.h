/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -M: the last minutes of a recording in memory, and snapshots of them on the disk.
 *
 *	/dev/shm/.tstream.XXXXXX/       at first, until its recorder has locked it
 *	/dev/shm/tstream.UID.PID[-N]/   the hold: 0700, locked; N: any number
 *	    out                         the path that -o named, and a newline
 *	    held.STAMP ...              finished segments; the oldest go (rotation_kept.h)
 *	    held, held.new              the running one, and the next within a cut
 *	OUT.STAMP                       a snapshot: the segments of that moment, merged
 *	OUT                             at the end: the segments that were held then
 *
 * A segment is a directory like any other of a recording that rotates (rotation.h). So a hold is
 * complete whenever its recorder is killed, and `tstream rescue` makes a capture of it. A snapshot
 * is a cut, then a `tstream merge` in a process of its own (program_runner.h); the recording goes
 * on meanwhile.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_MEMORY_SEGMENTS_H
#define TS_STREAMER_RECORDING_MEMORY_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "streamer/plan/record_options.h"
#include "streamer/recording/on_snapshot.h"
#include "streamer/recording/rotation_kept.h"
#include "streamer/watch/program_runner.h"

/* The most that a hold has, and when it is cut. */
struct memory_segments_bounds {
	uint64_t held_bytes; /* of all segments */
	uint64_t held_ns;    /* since a segment was finished; 0: only bytes count */
	uint64_t segment_bytes, segment_ns;
};

struct memory_segments_saving { /* a snapshot that is being written */
	char *path;		/* owned */
	uint64_t bytes;
};

/* A merge is killed after so many seconds, and one more for so many bytes that -M may hold. */
#define MEMORY_SEGMENTS_DEADLINE_S  60
#define MEMORY_SEGMENTS_LEAST_RATE  (10u << 20)
#define MEMORY_SEGMENTS_SAVINGS_MAX 8

struct memory_segments {
	bool is_on;
	char *root, *path; /* owned; the hold, and where the recording is in it */
	int root_fd;	   /* the lock */
	int parent_fd;	   /* where OUT is */
	struct memory_segments_bounds bounds;
	struct program_runner runner;
	/* of the runner, in its order */
	struct memory_segments_saving savings[MEMORY_SEGMENTS_SAVINGS_MAX];
	struct rotation_kept saved;
	bool is_mute;	 /* the process that writes snapshots has died */
	bool has_failed; /* something could not be saved: the recorder ends with 1 */
	bool stays;	 /* at the end: the held segments could not be saved, and stay in `root` */

	/* called for each snapshot; NULL: no callback */
	void (*tell)(void *whom, const char *path, bool is_complete);
	void *whom;
};

/*
 * Starts the process that writes snapshots, before limits, scheduling and memory policy are
 * changed. log_fd as in program_runner.h. Does nothing without -M.
 */
int memory_segments_start(struct memory_segments *h, const struct record_options *o, int log_fd,
			  const struct caller_state *caller, struct ts_error *err);
/* Makes the hold. -ENOSPC, with a hint: /dev/shm has too little room. */
int memory_segments_open(struct memory_segments *h, const struct record_options *o,
			 struct ts_notes *notes, struct ts_error *err);

/*
 * Call it before the cut of a snapshot: a request that is refused must not leave a segment more.
 * -EBUSY: too many snapshots are being written already. That is told to whoever asked, and is no
 * failure of the recording.
 */
int memory_segments_check(const struct memory_segments *h, struct ts_error *err);
/*
 * After that and the cut: begins to write finished segments to OUT.STAMP, with `name` behind it
 * unless empty. Takes all segments that have a record since `since_ns` (CLOCK_MONOTONIC).
 */
int memory_segments_save(struct memory_segments *h, struct rotation_kept *segments,
			 uint64_t since_ns, const char *output, const char *name,
			 struct ts_error *err);
/* The path of the newest snapshot that is not complete; NULL: none. */
const char *memory_segments_newest(const struct memory_segments *h);
/*
 * Notes the snapshots that are written by now, and runs the hook's programs. Then segments may go
 * again. Never waits.
 */
void memory_segments_collect(struct memory_segments *h, struct rotation_kept *segments,
			     struct on_snapshot *hook, struct ts_notes *notes);
/*
 * At the end: waits for snapshots, then merges the held segments, with `combines` also all
 * snapshots, to OUT and waits for that. Then it removes the hold; on failure the hold stays.
 */
int memory_segments_finish(struct memory_segments *h, struct rotation_kept *segments,
			   const struct record_options *o, bool combines, struct on_snapshot *hook,
			   struct ts_notes *notes, struct ts_error *err);
/* Removes an empty hold. Accepts a zeroed struct. */
void memory_segments_close(struct memory_segments *h);

#endif
