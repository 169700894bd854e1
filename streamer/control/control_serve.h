/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes a control command and words its answer, for --control and for the socket.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CONTROL_SERVE_H
#define TS_STREAMER_CONTROL_CONTROL_SERVE_H

#include <stdbool.h>

#include "common/base/error.h"
#include "streamer/control/control_verb.h"
#include "streamer/recording/recording.h"

struct control_answer {
	char *text;	     /* lines; the caller frees it; NULL: out of memory */
	bool is_data;	     /* a list or JSON, not sentences */
	struct ts_error err; /* code 0: the command was executed */
	const char *awaited; /* not owned; a directory that is being written; NULL: none */
	bool ends;	     /* `stop`; or, with err, the command broke the recording */
};

/*
 * Executes one command, and sets *answer. `argument` is "" if the command has none. CONTROL_UNKNOWN
 * is refused with a list of the commands.
 */
void control_serve(struct recording *r, enum control_verb verb, const char *argument,
		   struct control_answer *answer);

#endif
