/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory that is left by a recorder that was killed within a cut.
 *
 * While a cut is made, OUT.new has the records from after the cut (rotation.h). The next recording
 * to OUT makes an OUT.new of its own and removes the old one. If that has records, it gets the name
 * of a finished directory first.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_DIRECTORY_LEFT_OVER_H
#define TS_STREAMER_DIRECTORY_LEFT_OVER_H

#include "common/base/error.h"
#include "common/base/notes.h"

/*
 * Renames OUT.new to OUT.STAMP, the time of its `data`, if it has records and no recorder holds it;
 * to OUT.STAMP-1 or the next free number if that name is taken. A note reports that. Returns 0,
 * also where there is nothing to keep. On failure OUT.new stays, and *err has the sentence.
 */
int left_over_keep(const char *output, struct ts_notes *notes, struct ts_error *err);

#endif
