/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a recording that one directory has: the directory, its `data`, its account, its times.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_PART_H
#define TS_STREAMER_RECORDING_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "streamer/recording/recording.h"

/* The directory, beside its final name `out`, and a watch over it. */
int part_create(struct recording *r, const char *out, struct ts_error *err);
/* Puts `data`, as it is known now, in the place of the one before. */
int part_write_data(struct recording *r, struct ts_error *err);
/* The same of tstream.json in that directory; `failure` as a sentence, or NULL. */
int part_write_info(struct recording *r, struct ts_dir *dir, const char *failure,
		    struct ts_error *err);
/* Keeps room for the last `data` and tstream.json. */
void part_reserve(struct recording *r);

/* What its streams have and lack, by their writers; is_last: the recording is over. */
int part_take_account(struct recording *r, bool is_last, struct ts_error *err);
/* Behind the account: the last `data` and tstream.json. */
int part_finish(struct recording *r, struct ts_error *err);
/* The directory gets that stamp, and `name` behind it unless empty. It is complete, and not touched again. */
int part_name(struct recording *r, const struct timespec *now, const char *name,
	      struct ts_error *err);

/* --- the part behind it --- */

/* It begins where this one ends. */
void part_next_span(struct cut_span *p);
/* What is recorded goes to that directory, which is the part's from now on. */
void part_move(struct recording *r, struct ts_dir *next);
/* And is told of anew. */
void part_begin_next(struct recording *r);

uint64_t part_bytes(const struct recording *r);	      /* on the disk; behind the account */
uint64_t part_duration_ns(const struct recording *r); /* samples enabled to disabled */

#endif
