/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds another `record -M` of this user that will write its capture to OUT. Until that recording
 * ends, nothing at OUT shows it. Its hold in memory is locked as a capture directory is
 * (common/directory/recorder.h), and names its OUT.
 *
 * Threads: no state; any thread.
 */
#ifndef TS_STREAMER_RECORD_HOLD_CHECK_H
#define TS_STREAMER_RECORD_HOLD_CHECK_H

#include "common/base/error.h"

/* 0: there is none; -EBUSY with a sentence that names its process. */
int hold_check_free(const char *output, struct ts_error *err);

#endif
