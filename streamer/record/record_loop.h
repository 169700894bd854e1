/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread while writers work: it waits for the end of the recording, and serves --control,
 * the socket and -D until then.
 *
 * A recording ends if
 *
 * - the command ended; or every -p or -t target and all tasks that it started are gone,
 * - SIGINT, SIGTERM, SIGQUIT or SIGHUP came, or with -M SIGUSR2,
 * - the control command `stop` came, or none within --dead-man,
 * - a trigger fired whose action is to stop,
 * - --max-size or --min-free is reached, or the directory was removed,
 * - a writer failed.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_RECORD_RECORD_LOOP_H
#define TS_STREAMER_RECORD_RECORD_LOOP_H

#include "common/base/error.h"
#include "streamer/control/control_socket.h"
#include "streamer/recording/recording.h"
#include "streamer/watch/perf_control.h"
#include "streamer/watch/watch.h"

enum record_end {
	RECORD_END_COMMAND, /* the command ended */
	RECORD_END_TARGETS,
	RECORD_END_SIGNAL, /* watch.signal */
	RECORD_END_CONTROL,
	RECORD_END_COMBINE,  /* SIGUSR2 with -M: all snapshots are to become one */
	RECORD_END_DEAD_MAN, /* --dead-man: no command has come for so long */
	RECORD_END_TRIGGER,  /* a trigger whose action is to stop */
	RECORD_END_MAX_SIZE,
	RECORD_END_MIN_FREE, /* *err has the sentence; the capture is complete */
	RECORD_END_FAILURE,  /* of a writer, with its error from recording_stop(); or our own */
};

/* Prints the notes so far and removes them. */
void record_print_notes(struct ts_notes *notes);

/* "command", "signal", ...; NULL for a failure. */
const char *record_end_name(enum record_end end);

/*
 * Runs until the end. Prints on stderr what control commands did, as perf does. *err is set at
 * RECORD_END_MIN_FREE, and at RECORD_END_FAILURE unless a writer failed. The caller then gives it
 * to recording_stop().
 */
enum record_end record_loop(struct recording *r, struct watch *w, struct perf_control *control,
			    struct control_socket *socket, struct ts_error *err);

/*
 * After the recording: waits for the command's end, at most until a signal comes. Returns 1 when
 * the command has ended, 0 for a signal, -errno if it cannot wait.
 */
int record_wait_for_command(struct recording *r, struct watch *w, struct ts_error *err);

#endif
