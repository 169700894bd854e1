/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rotation: a recording that goes on in another directory (--switch-output), without a gap.
 *
 *	OUT        the running directory; OUT.new while a cut is made: the next one
 *	OUT.STAMP  a finished one: complete and on the disk before it has that name, and never touched
 *	           again
 *
 * A cut is one time T on the clock of the records, the same for all streams: each record before T is
 * in the old directory, each from T on in the new one. Every directory is a capture by itself: its
 * `data` tells what there was at its beginning out of a table (live_table.h), which the side-band of
 * each finished directory is fed into.
 *
 *	1. OUT.new, with streams and a `data` that is complete but for tasks that came since the last cut
 *	2. no writer takes anything; T is read; from here on writers sort by time (writer_cut.c)
 *	3. all CPUs have left what they were recording at T; writers end the old streams
 *	4. the old directory gets its account
 *	5. its side-band goes into the table, and that into the new `data`
 *	6. OUT becomes OUT.STAMP, OUT.new becomes OUT; what is too old is removed (rotation_kept.h)
 *
 * Where all samples are overwritten the running directory grows by side-band alone. When there is much
 * of it, it is condensed: as above, but rings are not dumped, and in the place of 4 to 6
 *
 *	5. the new `data` gets the side-band of processes that samples in rings are of, of all others what
 *	   there is at T (rotation_condense.c)
 *	6. OUT.new takes the place of OUT, which is gone
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_H
#define TS_STREAMER_RECORDING_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "common/directory/directory.h"
#include "streamer/directory/cut.h"
#include "streamer/directory/ledger.h"
#include "streamer/directory/live_table.h"
#include "streamer/machine/record_clock.h"
#include "streamer/plan/record_plan.h"
#include "streamer/recording/crew.h"
#include "streamer/recording/memory_segments.h"
#include "streamer/recording/on_snapshot.h"
#include "streamer/recording/part.h"
#include "streamer/recording/rotation_kept.h"
#include "streamer/watch/size_limit.h"

struct rotation_given { /* what it works on; nothing of it is owned */
	struct crew *crew;
	struct part *part;	  /* the one that is recorded into */
	struct on_snapshot *hook; /* is told of directories that are finished */
	struct ts_notes *notes;
};

struct rotation {
	struct rotation_given given;
	bool is_on;   /* --switch-output; -M; or samples are overwritten, and cuts dump them */
	bool is_held; /* -M: directories are segments in memory: not synced, and nobody is told */
	struct record_clock clock;
	struct live_table *table;
	struct rotation_kept kept;
	struct size_limit size; /* when to go on, by what is written */
	uint64_t every_ns;	/* when to go on, by time; 0: never */
	uint64_t due_ns;	/* the same, CLOCK_MONOTONIC; TS_TIME_NEVER */
	bool has_failed;	/* some cut could not be made, or its directory not be named */
	bool condenses;		/* what `size` is for: nothing but side-band is written */
	bool cannot_condense;	/* it was tried */
	uint64_t unread_bytes;	/* of it, at least, since it was condensed last */

	uint64_t *told; /* owned; records lost a ring, that finished directories tell of */
	uint32_t nr_finished;
	struct ledger_sum finished_total; /* of these */
	char *finished; /* owned; the last directory that is complete; NULL: none yet */

	/* within a cut */
	bool is_cutting;
	bool is_read;	    /* the table has what the old streams tell */
	bool is_condensing; /* not for a finished directory, see rotation_condense() */
	struct ts_dir next;
};

/*
 * Before the writers are made; `history`, which is open, has bounds of its own, and only they are read. What
 * is given outlives rotation_release().
 */
int rotation_init(struct rotation *t, const struct rotation_given *given,
		  const struct memory_segments *history, struct ts_error *err);
/* When the events are open. */
int rotation_open_clock(struct rotation *t, struct ts_error *err);
/* When what exists has been scanned: the table has all of it. */
int rotation_start(struct rotation *t, struct ts_error *err);

/*
 * Makes a cut. On failure the recording is to go on in the directory where it is, complete (is_cutting
 * is false), or to be stopped.
 */
int rotation_cut(struct rotation *t, const struct cut_cause *cause, struct ts_error *err);
/*
 * So much side-band is written that it may be condensed; where it is not worth it yet, nothing is done.
 * Fails as rotation_cut() does. Where it cannot be done the running directory is finished as by a cut,
 * says so in a note, and no other is condensed.
 */
int rotation_condense(struct rotation *t, struct ts_error *err);
/*
 * At the end, when the writers have been joined: finishes the cut that they were stopped in, and...
 */
int rotation_finish_cut(struct rotation *t, struct ts_error *err);
/* ... when all is written, the last directory gets its stamp. */
int rotation_stamp_last(struct rotation *t, struct ts_error *err);

void rotation_release(struct rotation *t); /* accepts an initialised or zeroed one; idempotent */

#endif
