/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condensing, for rotation.c alone.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_CONDENSE_H
#define TS_STREAMER_RECORDING_ROTATION_CONDENSE_H

#include "streamer/recording/rotation.h"

/* True if only side-band is written between two cuts, and no other bound is set. */
bool rotation_can_condense(const struct record_plan *plan);
/*
 * Puts the side-band of the old directory into the `data` to be written next, as far as a record
 * may refer to it. is_over: the rings are empty, because their records are written already.
 */
int rotation_condense_old(struct rotation *t, bool is_over, struct ts_error *err);

#endif
