/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files rotation*.c share; of no use to others.
 *
 * Threads: as rotation.h.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_PARTS_H
#define TS_STREAMER_RECORDING_ROTATION_PARTS_H

#include "streamer/directory/sideband_log.h"
#include "streamer/recording/recording.h"

/* What the old streams tell goes into the log and, with what is over by now forgotten, into the table. */
int rotation_read_log(struct recording *r, struct sideband_log *log, struct ts_error *err);

#endif
