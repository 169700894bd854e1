/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a recording that lies in one directory: the directory, its `data`, its account, its
 * times. A recording without cuts has one part.
 *
 *	part_init, part_create; data_file_init(), part_write_data, part_write_info; the directory is
 *	shown (it is recorded into), part_reserve
 *	part_take_account, part_finish, part_name
 *	part_next_span, part_move, part_begin_next: the next part
 *	part_release, part_close
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_PART_H
#define TS_STREAMER_RECORDING_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"
#include "common/directory/directory.h"
#include "streamer/directory/cut.h"
#include "streamer/directory/data_file.h"
#include "streamer/directory/ledger.h"
#include "streamer/plan/record_plan.h"
#include "streamer/recording/crew.h"
#include "streamer/watch/cpu_absence.h"
#include "streamer/watch/disk_watch.h"

struct part {
	/* of the recording, not owned */
	const struct record_plan *plan;
	const uint8_t *uuid; /* 16 bytes */
	const struct absences *absences;
	const struct names_gaps *gaps; /* not owned; NULL: none */
	const char *output;	       /* path of the directory while it is recorded into */
	bool has_span;		       /* there are cuts, and tstream.json has the span */

	struct ts_dir dir;
	struct disk_watch disk;
	struct data_file data;
	struct ledger ledger; /* zeroed: not taken yet */
	struct cut_span span;
	uint64_t start_realtime_ns; /* samples enabled, or the cut before it; 0: not yet */
	uint64_t start_ns, end_ns;  /* the same and disabled, CLOCK_MONOTONIC */
	const char *ended_by; /* for tstream.json; NULL: the recording failed, or has not ended */
};

/* Sets a state that part_release() and part_close() accept. */
void part_init(struct part *p, const struct record_plan *plan, const uint8_t *uuid,
	       const struct absences *absences);
/* Makes the directory, beside its final name `out`, and watches it. */
int part_create(struct part *p, const char *out, struct ts_error *err);
/* Replaces `data` by all that is known now. */
int part_write_data(struct part *p, struct ts_error *err);
/* The same for tstream.json in that directory; `failure`: a sentence, or NULL. */
int part_write_info(struct part *p, struct ts_dir *dir, const char *failure, struct ts_error *err);
/* Keeps room on the disk for the last `data` and tstream.json. */
void part_reserve(struct part *p);

/* Takes the account of its streams from their writers; arguments as in ledger_take(). */
int part_take_account(struct part *p, const struct crew *crew, const uint64_t *lost_before,
		      bool is_last, struct ts_error *err);
/* After the account: writes the last `data` and tstream.json. */
int part_finish(struct part *p, struct ts_error *err);
/*
 * Renames the complete directory: adds the stamp of that time, and `name` behind it unless empty.
 * The directory is not touched again.
 */
int part_name(struct part *p, const struct timespec *now, const char *name, struct ts_error *err);

/* --- the next part --- */

/* The next span begins where this one ends. */
void part_next_span(struct part *p);
/* Makes `next` the directory of the part: all that follows is recorded there. */
void part_move(struct part *p, struct ts_dir *next);
/* Begins the account and the times anew. */
void part_begin_next(struct part *p);

uint64_t part_bytes(const struct part *p);	 /* on the disk; valid after the account */
uint64_t part_duration_ns(const struct part *p); /* samples enabled to disabled */

void part_release(struct part *p); /* frees its memory; idempotent */
void part_close(struct part *p);   /* removes a directory that was not shown; idempotent */

#endif
