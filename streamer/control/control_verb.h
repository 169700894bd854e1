/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of commands: those of perf's --control, and more. All commands are made of them, whether
 * they come through --control, through OUT.ctl, or from the command line of `tstream ctl`.
 *
 * Threads: a pure function.
 */
#ifndef TS_STREAMER_CONTROL_CONTROL_VERB_H
#define TS_STREAMER_CONTROL_CONTROL_VERB_H

#include "streamer/watch/perf_control.h"

#define CONTROL_LINE_BYTES PERF_CONTROL_LINE_BYTES /* of a command with its NUL, on both ways */

enum control_verb {
	CONTROL_UNKNOWN,
	CONTROL_ENABLE, /* argument: event name, or empty for all */
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_EVLIST,	  /* argument: "", "-v", "-g" or "-F" */
	CONTROL_SNAPSHOT, /* argument: a name, or empty */
	CONTROL_ROTATE,
	CONTROL_STATUS,
};

/*
 * Returns the verb of a line; CONTROL_UNKNOWN, also of a line of CONTROL_LINE_BYTES or more. Of any
 * other verb `argument` (CONTROL_LINE_BYTES) gets the rest of the line. As in perf, a line has a verb
 * if it begins with its word: "enable", "enable sched:sched_switch".
 */
enum control_verb control_verb_parse(const char *line, char *argument);

#endif
