/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's --control: lines from descriptors (`fd:N[,M]`) or FIFOs (`fifo:A[,B]`), and
 * acknowledgements. This is one of the two ways for commands; the other is the socket OUT.ctl
 * (streamer/control/control_socket.h). streamer/control/control_verb.h has the words of both.
 *
 * A command is a line. It may come in pieces, and several may come at once. It ends at a newline,
 * at a NUL, or where no more bytes come for PERF_CONTROL_REST_NS. A line of PERF_CONTROL_LINE_BYTES
 * or more counts as empty. A command is acknowledged with the five bytes "ack\n\0" on M or B. If the
 * other side hangs up, the way is closed and the recording goes on.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_PERF_CONTROL_H
#define TS_STREAMER_WATCH_PERF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/clock.h"
#include "common/base/error.h"

#define PERF_CONTROL_LINE_BYTES 256
#define PERF_CONTROL_REST_NS	(300 * TS_NS_PER_MS)

enum perf_control_line {
	PERF_CONTROL_NOTHING, /* no whole line is there now */
	PERF_CONTROL_LINE,
	PERF_CONTROL_HUNG_UP, /* the other side is gone: stop polling, close */
};

struct perf_control {
	int command_fd; /* readable: bytes of a line; -1: there is no --control */
	int ack_fd;	/* -1: acknowledgements are not wanted */
	bool owns_fds;	/* opened here (fifo:), not inherited (fd:) */
	char line[PERF_CONTROL_LINE_BYTES]; /* the beginning of a line, of len bytes */
	size_t len;
	bool is_too_long;
	uint64_t due_ns; /* a line that has begun ends then */
};

/* Checks the syntax of a specification for the command line. Opens nothing. */
int perf_control_check(const char *spec, struct ts_error *err);
/*
 * Opens both ends. A fifo must exist and be of this user or root (-EPERM); an inherited descriptor
 * must be open.
 */
int perf_control_open(struct perf_control *c, const char *spec, struct ts_error *err);

/*
 * Reads a line into `line` (PERF_CONTROL_LINE_BYTES), up to a newline or a NUL. It reads byte by
 * byte, so that the next line stays unread. The beginning of a line stays in *c until the rest comes,
 * at most until due_ns. Never blocks. now_ns is CLOCK_MONOTONIC.
 */
enum perf_control_line perf_control_next(struct perf_control *c, uint64_t now_ns, char *line);
/* When perf_control_next() must be called although nothing is there to read; or TS_TIME_NEVER. */
uint64_t perf_control_due_ns(const struct perf_control *c);

/*
 * Acknowledges the last command. It is no error if the peer has left. Never blocks: a peer that
 * does not read, so that its pipe is full, gets no acknowledgement.
 */
void perf_control_acknowledge(struct perf_control *c);

void perf_control_close(struct perf_control *c); /* accepts {-1, -1}; idempotent */

#endif
