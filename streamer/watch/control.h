/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands from outside while recording, in perf's syntax: `--control fd:N[,M]` or `fifo:A[,B]`.
 *
 * A command is a line. It may come in pieces, and several may come at once. It ends at a newline,
 * at a NUL, or where no more bytes come for CONTROL_REST_NS. A line of CONTROL_LINE_BYTES or more
 * is ignored up to its end. A line is a command if it begins with the command's word, as in perf:
 * "enable", "enable sched:sched_switch". A command is acknowledged with the five bytes "ack\n\0" on
 * M or B. An unknown or empty line is ignored and not acknowledged. If the other side hangs up,
 * control ends and the recording goes on.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_CONTROL_H
#define TS_STREAMER_WATCH_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/clock.h"
#include "common/base/error.h"

#define CONTROL_LINE_BYTES 256
#define CONTROL_REST_NS	   (300 * TS_NS_PER_MS)

enum control_verb {
	CONTROL_NONE,	 /* no command to read now */
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
	int command_fd;		       /* readable: a command; -1: no control */
	int ack_fd;		       /* -1: acknowledgements are not wanted */
	bool owns_fds;		       /* opened here (fifo:), not inherited (fd:) */
	char line[CONTROL_LINE_BYTES]; /* the beginning of a line, of len bytes */
	size_t len;
	bool is_too_long;
	uint64_t due_ns; /* a line that has begun ends then */
};

/* Checks the syntax of a specification for the command line. Opens nothing. */
int control_check(const char *spec, struct ts_error *err);
/*
 * Opens both ends. A fifo must exist and be of this user or root (-EPERM); an inherited descriptor
 * must be open.
 */
int control_open(struct control *c, const char *spec, struct ts_error *err);

/*
 * Returns the verb of a line; CONTROL_UNKNOWN, also of a line of CONTROL_LINE_BYTES or more. Of any
 * other verb `argument` (CONTROL_LINE_BYTES) gets the rest of the line.
 */
enum control_verb control_parse(const char *line, char *argument);

/*
 * Reads one command. `argument` (CONTROL_LINE_BYTES) gets the rest of its line. Never blocks.
 * now_ns is CLOCK_MONOTONIC.
 */
enum control_verb control_next(struct control *c, uint64_t now_ns, char *argument);
/* When control_next() must be called although nothing is there to read; or TS_TIME_NEVER. */
uint64_t control_due_ns(const struct control *c);

/*
 * Acknowledges the last command. It is no error if the peer has left. Never blocks: a peer that
 * does not read, so that its pipe is full, gets no acknowledgement.
 */
void control_acknowledge(struct control *c);

void control_close(struct control *c); /* accepts {-1, -1}; idempotent */

#endif
