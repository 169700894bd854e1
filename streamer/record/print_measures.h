/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writers measured of themselves, as `record -v` shows it at the end: a line for each.
 *
 * Threads: main thread, after recording_stop().
 */
#ifndef TS_STREAMER_RECORD_PRINT_MEASURES_H
#define TS_STREAMER_RECORD_PRINT_MEASURES_H

#include "streamer/recording/recording.h"

/* Prints on stderr with -v; no line is longer than 100 columns. */
void print_measures(const struct recording *r);

#endif
