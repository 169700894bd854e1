/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a control command does, and what is answered: the same for --control and for the socket.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CONTROL_SERVE_H
#define TS_STREAMER_CONTROL_CONTROL_SERVE_H

#include <stdbool.h>

#include "common/base/error.h"
#include "streamer/recording/recording.h"
#include "streamer/watch/control.h"

struct control_answer {
	char *text;	     /* lines; the caller's to free(); NULL: out of memory */
	bool is_data;	     /* a list or JSON, not sentences */
	struct ts_error err; /* code 0: it was done */
	const char *awaited; /* not owned; a directory that is being written; NULL: all is done */
	bool ends;	     /* `stop`, or what was asked for broke the recording: then with err */
};

void control_serve(struct recording *r, enum control_verb verb, const char *argument,
		   struct control_answer *answer);

#endif
