/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a recording that one directory has: the directory, its `data`, its account, its times.
 * A recording without cuts is one part.
 *
 *	part_init, part_create; data_file_init(), part_write_data, part_write_info; the directory is shown
 *	(it is recorded into), part_reserve
 *	part_take_account, part_finish, part_name
 *	part_next_span, part_move, part_begin_next: the part behind it
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
	const char *output; /* where it is while it is recorded into */
	bool has_span;	    /* there are cuts, and tstream.json has the span */

	struct ts_dir dir;
	struct disk_watch disk;
	struct data_file data;
	struct ledger ledger; /* zeroed: not taken yet */
	struct cut_span span;
	uint64_t start_realtime_ns; /* samples enabled, or the cut before it; 0: not yet */
	uint64_t start_ns, end_ns;  /* the same and disabled, CLOCK_MONOTONIC */
	const char *ended_by;	    /* for tstream.json; NULL: it failed, or has not ended */
};

/* So that part_release() and part_close() find what there is. */
void part_init(struct part *p, const struct record_plan *plan, const uint8_t *uuid,
	       const struct absences *absences);
/* The directory, beside its final name `out`, and a watch over it. */
int part_create(struct part *p, const char *out, struct ts_error *err);
/* Puts `data`, as it is known now, in the place of the one before. */
int part_write_data(struct part *p, struct ts_error *err);
/* The same of tstream.json in that directory; `failure` as a sentence, or NULL. */
int part_write_info(struct part *p, struct ts_dir *dir, const char *failure, struct ts_error *err);
/* Keeps room for the last `data` and tstream.json. */
void part_reserve(struct part *p);

/* What its streams have and lack, by their writers; told and is_last as in ledger_take(). */
int part_take_account(struct part *p, const struct crew *crew, const uint64_t *told, bool is_last,
		      struct ts_error *err);
/* Behind the account: the last `data` and tstream.json. */
int part_finish(struct part *p, struct ts_error *err);
/* The directory gets that stamp, and `name` behind it unless empty. It is complete, and not touched again. */
int part_name(struct part *p, const struct timespec *now, const char *name, struct ts_error *err);

/* --- the part behind it --- */

/* It begins where this one ends. */
void part_next_span(struct part *p);
/* What is recorded goes to that directory, which is the part's from now on. */
void part_move(struct part *p, struct ts_dir *next);
/* And is told of anew. */
void part_begin_next(struct part *p);

uint64_t part_bytes(const struct part *p);	 /* on the disk; behind the account */
uint64_t part_duration_ns(const struct part *p); /* samples enabled to disabled */

void part_release(struct part *p); /* its memory; idempotent */
void part_close(struct part *p);   /* what was not shown leaves no trace; idempotent */

#endif
