/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --daemon: the recording goes on in a process of its own, without the terminal.
 *
 *	caller                      daemon
 *	daemon_begin() waits        daemon_begin() returns, everything is opened
 *	exits with status 0  <----  daemon_ready(): it records; messages go to the log from now on
 *
 * A daemon that fails before daemon_ready() has printed the reason on the caller's stderr. The
 * caller ends with the daemon's status.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_RECORD_DAEMON_H
#define TS_STREAMER_RECORD_DAEMON_H

#include "common/base/error.h"

struct daemon {
	int ready_fd; /* -1: there is none */
	int log_fd;   /* OUT.log; -1: stderr is the journal, and stays */
};

#define DAEMON_INIT                                                                                \
	{                                                                                          \
		.ready_fd = -1, .log_fd = -1                                                       \
	}

/*
 * Returns 1 in the daemon, and 0 in the caller when the daemon records or has failed; then
 * *ret_status is the exit status of the command. A negative errno: there is no daemon.
 */
int daemon_begin(struct daemon *d, const char *output, int *ret_status, struct ts_error *err);
/* Does nothing in a recording without a daemon. */
void daemon_ready(struct daemon *d);

#endif
