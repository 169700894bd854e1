/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side-band of a part that has ended: what rotation.c carries over, and rotation_condense.c condenses; of
 * no use to others.
 *
 * Threads: as rotation.h.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_LOG_H
#define TS_STREAMER_RECORDING_ROTATION_LOG_H

#include "streamer/directory/sideband_log.h"
#include "streamer/recording/rotation.h"

/* What the old streams tell goes into the log and, with what is over by now forgotten, into the table. */
int rotation_log_read(struct rotation *t, struct sideband_log *log, struct ts_error *err);

#endif
