/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cut because of a signal, a size, a time or a command: the recording goes on in another
 * directory. With -M, each cause but size and time also has the held segments written to a
 * snapshot. Where every sample ring is overwritten and the user gave no size, the size has the
 * running directory condensed instead.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CUT_REQUEST_H
#define TS_STREAMER_CONTROL_CUT_REQUEST_H

#include "streamer/recording/recording.h"

enum cut_request {
	CUT_REQUEST_MADE, /* the finished directory is complete, or begins to be written */
	/*
	 * No finished directory or snapshot comes of it; err says why. The recording goes on, with
	 * -M perhaps in a new segment.
	 */
	CUT_REQUEST_REFUSED,
	CUT_REQUEST_BROKEN, /* it failed in the middle, the recording must end */
};

enum cut_request cut_request_make(struct recording *r, const struct cut_cause *cause,
				  struct ts_error *err);
/* 0; -EINVAL: this recording makes no cuts. */
int cut_request_check(const struct rotation *t, struct ts_error *err);

#endif
