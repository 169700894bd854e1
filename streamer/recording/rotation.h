/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rotation: a recording that goes on in another directory (--switch-output), without a gap.
 *
 *	OUT        the running directory; OUT.new while a cut is made: the next one
 *	OUT.STAMP  a finished one: complete and on the disk before it has that name, and is not
 *	           touched again
 *
 * A cut is one time T on the clock of the records, the same for all streams: each record before T
 * is in the old directory, each from T on in the new one. Every directory is a capture by itself.
 * Its `data` has the tasks, maps and programs that existed at its beginning. They come out of a
 * table (live_table.h), which takes in the side-band of each finished directory.
 *
 *	1. make OUT.new, with streams and a `data` that lacks only tasks since the last cut
 *	2. hold all writers off their rings; read T; from here on they sort by time (writer_cut.c)
 *	3. wait until all CPUs have finished the records of T; writers end the old streams
 *	4. give the old directory its account
 *	5. feed its side-band to the table, and write the table into the new `data`
 *	6. OUT becomes OUT.STAMP, OUT.new becomes OUT; the oldest are removed (rotation_kept.h)
 *
 * Where all samples are overwritten, the running directory grows by side-band alone. When there
 * is much of it, it is condensed: the steps are the same, but rings are not dumped, and two steps
 * replace 4 to 6:
 *
 *	5. the new `data` gets all side-band of processes with samples in rings, and of others the
 *	   state at T (rotation_condense.c)
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

struct rotation_given { /* the objects it works on; none is owned */
	struct crew *crew;
	struct part *part;	  /* the one that is recorded into */
	struct on_snapshot *hook; /* runs the programs for finished directories */
	struct ts_notes *notes;
};

struct rotation {
	struct rotation_given given;
	bool is_on;   /* --switch-output; -M; or samples are overwritten, and cuts dump them */
	bool is_held; /* -M: directories are segments in memory: no sync, no --on-snapshot */
	struct record_clock clock;
	struct live_table *table;
	struct rotation_kept kept;
	struct size_limit size; /* when to make a cut, by bytes written */
	uint64_t every_ns;	/* when to make a cut, by time; 0: never */
	uint64_t due_ns;	/* time of the next such cut, CLOCK_MONOTONIC; TS_TIME_NEVER */
	bool has_failed;	/* a cut could not be made, or its directory not be named */
	bool condenses;		/* `size` starts condensing: only side-band is written */
	bool cannot_condense;	/* condensing failed once */
	uint64_t unread_bytes;	/* of side-band, at least, since it was condensed last */

	uint64_t *lost_before; /* owned; by ring: lost records in finished directories' accounts */
	uint32_t nr_finished;
	struct ledger_sum finished_total; /* over the finished directories */
	char *finished; /* owned; path of the last complete directory; NULL: none yet */

	/* within a cut */
	bool is_cutting;
	bool is_read;	    /* the table has the side-band of the old streams */
	bool is_condensing; /* the cut finishes no directory, see rotation_condense() */
	struct ts_dir next;
};

/*
 * To be called before the writers are made. Only the bounds of `history` are read; it must be open.
 * All objects in `given` must outlive rotation_release().
 */
int rotation_init(struct rotation *t, const struct rotation_given *given,
		  const struct memory_segments *history, struct ts_error *err);
/* When the events are open. */
int rotation_open_clock(struct rotation *t, struct ts_error *err);
/* After the scan of what exists: puts all of it into the table. */
int rotation_start(struct rotation *t, struct ts_error *err);

/* Makes a cut. After a failure rotation_stays() says how the recording goes on. */
int rotation_cut(struct rotation *t, const struct cut_cause *cause, struct ts_error *err);
/*
 * Called when enough side-band is written that condensing may be due; does nothing where it is not
 * worth it yet. Fails as rotation_cut() does. Where the directory cannot be condensed, it is
 * finished as by a cut. A note reports that, and no later directory is condensed.
 */
int rotation_condense(struct rotation *t, struct ts_error *err);
/*
 * After a failed rotation_cut() or rotation_condense(): no cut was made, and the recording goes on
 * in its directory. If false, it must be stopped. `number`: that of the span before the call.
 */
bool rotation_stays(const struct rotation *t, uint32_t number);
/* At the end, after the writers have been joined: finishes the cut in which they were stopped. */
int rotation_finish_cut(struct rotation *t, struct ts_error *err);
/* When all is written: the last directory gets its stamp. */
int rotation_stamp_last(struct rotation *t, struct ts_error *err);

void rotation_release(struct rotation *t); /* accepts an initialised or zeroed one; idempotent */

#endif
