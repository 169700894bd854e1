/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side-band of a part that has ended, for rotation.c, which carries it over, and
 * rotation_condense.c, which condenses it.
 *
 * Threads: as rotation.h.
 */
#ifndef TS_STREAMER_RECORDING_ROTATION_LOG_H
#define TS_STREAMER_RECORDING_ROTATION_LOG_H

#include "streamer/directory/sideband_log.h"
#include "streamer/recording/rotation.h"

/*
 * Reads the side-band of the old streams into the log, applies it to the table, and forgets ended
 * tasks there.
 */
int rotation_log_read(struct rotation *t, struct sideband_log *log, struct ts_error *err);

#endif
