/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done at a signal, a time, a command: the recording goes on in another directory, or, with -M,
 * what is held is written to one.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CUT_REQUEST_H
#define TS_STREAMER_CONTROL_CUT_REQUEST_H

#include "streamer/recording/recording.h"

enum record_switch {
	RECORD_SWITCHED, /* the finished directory is complete, or begins to be written */
	RECORD_STAYS,  /* it could not be begun, err says why; the recording goes on where it is */
	RECORD_BROKEN, /* within it something failed, the recording is to end */
};

enum record_switch record_switch(struct recording *r, const struct cut_cause *cause,
				 struct ts_error *err);
/* Can there be any? Else -EINVAL. */
int cut_request_check(const struct rotation *t, struct ts_error *err);

#endif
