/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rotation.c has of rotation_condense.c; of no use to others.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_CONDENSE_H
#define TS_STREAMER_RECORDING_ROTATION_CONDENSE_H

#include "streamer/recording/rotation.h"

/* Does it write nothing but side-band between two cuts, with no other bound? */
bool rotation_can_condense(const struct record_plan *plan);
/*
 * Puts what the old directory has of side-band into the `data` to be written next, as far as something
 * may refer to it; is_over: the rings are empty, and what was in them is written already.
 */
int rotation_condense_old(struct rotation *t, bool is_over, struct ts_error *err);

#endif
