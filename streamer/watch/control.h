/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands from outside while recording, in perf's words: `--control fd:N[,M]` or `fifo:A[,B]`.
 *
 * A command is a line, ended by newline or NUL (or by nothing more being there to read), and is
 * known by its first word as a prefix, as in perf: "enable", "enable sched:sched_switch". A known
 * command is acknowledged with the five bytes "ack\n\0" on M or B; an unknown or empty one is
 * ignored without. When the other side hangs up, control ends and the recording goes on.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_CONTROL_H
#define TS_STREAMER_WATCH_CONTROL_H

#include <stdbool.h>

#include "common/base/error.h"

#define CONTROL_LINE_BYTES 256

enum control_verb {
	CONTROL_NONE,	 /* nothing more to read now */
	CONTROL_CLOSED,	 /* the other side hung up: stop polling, close */
	CONTROL_UNKNOWN, /* ignore, do not acknowledge */
	CONTROL_ENABLE,	 /* argument: event name, or empty for all */
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_EVLIST,	  /* argument: "", "-v", "-g" or "-F" */
	CONTROL_SNAPSHOT, /* argument: a name, or empty */
	CONTROL_ROTATE,
	CONTROL_STATUS,
};

struct control {
	int command_fd; /* readable: a command; -1: no control */
	int ack_fd;	/* -1: acknowledgements are not wanted */
	bool owns_fds;	/* opened here (fifo:), not inherited (fd:) */
};

/* Checks the words of a specification, opens nothing: for the command line. */
int control_check(const char *spec, struct ts_error *err);
/* Opens both ends. A fifo must exist; an inherited descriptor must be open. */
int control_open(struct control *c, const char *spec, struct ts_error *err);

/* The verb of a line, CONTROL_UNKNOWN for none; `argument` (CONTROL_LINE_BYTES) is what follows it. */
enum control_verb control_parse(const char *line, char *argument);

/*
 * Reads one command. `argument` (CONTROL_LINE_BYTES) is what follows the word. Never blocks.
 */
enum control_verb control_next(struct control *c, char *argument);

/* Acknowledges the last command; a peer that left is no error. */
void control_acknowledge(struct control *c);

void control_close(struct control *c); /* accepts {-1, -1}; idempotent */

#endif
