/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread while writers work: waits for what ends the recording, and serves --control,
 * the socket and -D until then.
 *
 * Ends: the command ended; every -p or -t target and what it started is gone; SIGINT, SIGTERM,
 * SIGQUIT or SIGHUP; the control command `stop`; --max-size or --min-free is reached; the directory
 * was removed; a writer failed.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORD_RECORD_LOOP_H
#define TS_STREAMER_RECORD_RECORD_LOOP_H

#include "common/base/error.h"
#include "streamer/control/control_socket.h"
#include "streamer/recording/recording.h"
#include "streamer/watch/control.h"
#include "streamer/watch/watch.h"

enum record_end {
	RECORD_END_COMMAND, /* the command ended */
	RECORD_END_TARGETS,
	RECORD_END_SIGNAL, /* watch.signal */
	RECORD_END_CONTROL,
	RECORD_END_COMBINE,  /* SIGUSR2 with -M: all snapshots are to become one */
	RECORD_END_DEAD_MAN, /* --dead-man: nobody has asked for so long */
	RECORD_END_TRIGGER,  /* one whose action is to stop */
	RECORD_END_MAX_SIZE,
	RECORD_END_MIN_FREE, /* *err says so; the capture is complete */
	RECORD_END_FAILURE,  /* a writer's, its error comes from recording_stop(); or our own */
};

/* Prints and forgets the notes so far. */
void print_notes(struct ts_notes *notes);

/* "command", "signal", ...; NULL for a failure. */
const char *record_end_name(enum record_end end);

/*
 * Runs until the end. Says on stderr what control commands did, as perf does. *err is set at
 * RECORD_END_MIN_FREE, and at RECORD_END_FAILURE where it was not a writer's: then it is to be given
 * to recording_stop().
 */
enum record_end record_loop(struct recording *r, struct watch *w, struct control *control,
			    struct control_socket *socket, struct ts_error *err);

/*
 * Waits for the command's end, after the recording: at most until a signal comes. Returns 1 when
 * it has ended, 0 for a signal, -errno where we cannot wait for it.
 */
int record_wait_for_command(struct recording *r, struct watch *w, struct ts_error *err);

#endif
