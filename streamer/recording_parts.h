/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files recording*.c share; of no use to others.
 *
 * Threads: as recording.h.
 */
#ifndef TS_STREAMER_RECORDING_PARTS_H
#define TS_STREAMER_RECORDING_PARTS_H

#include "streamer/recording.h"

/* Puts `data`, as it is known now, in the place of the one before. */
int recording_write_data(struct recording *r, struct ts_error *err);
/* Sets the filters of descriptors that have none yet; all writers must run. */
int recording_set_filters(struct recording *r, struct ts_error *err);

/* Maps a ring on its owner. */
int recording_map_ring(struct recording *r, size_t ring, struct ts_error *err);

#endif
