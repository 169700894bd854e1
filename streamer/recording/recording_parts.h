/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files recording*.c share; of no use to others.
 *
 * Threads: as recording.h.
 */
#ifndef TS_STREAMER_RECORDING_RECORDING_PARTS_H
#define TS_STREAMER_RECORDING_RECORDING_PARTS_H

#include "streamer/recording/recording.h"

/* Puts `data`, as it is known now, in the place of the one before. */
int recording_write_data(struct recording *r, struct ts_error *err);
/* The same of tstream.json in that directory; `failure` as a sentence, or NULL. */
int recording_write_info(struct recording *r, struct ts_dir *dir, const char *failure,
			 struct ts_error *err);
/*
 * Takes the account of the directory that was recorded into last; is_last: the recording is over.
 */
int recording_take_account(struct recording *r, bool is_last, struct ts_error *err);

#endif
