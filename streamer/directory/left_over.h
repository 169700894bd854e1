/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorder left that was killed within a cut.
 *
 * While a cut is made, OUT.new has what came after it (rotation.h). The next recording to OUT makes an
 * OUT.new of its own, and what stands there is removed; if it has records, it gets the name of a
 * finished directory before that.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_DIRECTORY_LEFT_OVER_H
#define TS_STREAMER_DIRECTORY_LEFT_OVER_H

#include "common/base/error.h"
#include "common/base/notes.h"

/*
 * Keeps OUT.new as OUT.STAMP, the time of its `data`, where it has records and no recorder holds it; a
 * note says so. 0, also where there is nothing; else it stands where it was, and err has the sentence.
 */
int left_over_keep(const char *output, struct ts_notes *notes, struct ts_error *err);

#endif
