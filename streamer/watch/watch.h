/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the main thread waits for while writers work: signals, the command's end, the end of the
 * recorded tasks, a writer's failure, control commands, the end of a delay.
 *
 * watch_block_signals() comes first in the process, before the command is forked and before
 * threads start, so that all of them are arranged around one signalfd; then watch_open(), then
 * watch_next() in a loop. Nothing here wakes up on its own: an idle recorder's main thread sleeps.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_WATCH_WATCH_H
#define TS_STREAMER_WATCH_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "streamer/watch/caller_state.h"

enum watch_event {
	WATCH_SIGNAL,	/* SIGINT, SIGTERM, SIGQUIT or SIGHUP: watch.signal */
	WATCH_CHILD,	/* a child changed its state */
	WATCH_TARGETS,	/* the recorded tasks' lifeline is readable */
	WATCH_FAILURE,	/* a writer failed */
	WATCH_LIMIT,	/* --max-size is reached */
	WATCH_CPUS,	/* the kernel tells of devices, perhaps of a CPU */
	WATCH_SUPPLY,	/* a writer asks for buffers */
	WATCH_CONTROL,	/* a control command is there */
	WATCH_SOCKET,	/* the same, on the socket */
	WATCH_SWITCH,	/* SIGUSR1 or SIGUSR2: watch.switch_signal */
	WATCH_SIZE,	/* so much is written that --switch-output goes on elsewhere */
	WATCH_SAVED,	/* a snapshot of -M is written */
	WATCH_MORE,	/* some of watch.more has_fired */
	WATCH_DEADLINE, /* the time given has come */
};

#define WATCH_MORE_MAX 8

struct watch_more { /* of triggers; polling may be all that tells, so it is kept until it is taken */
	int fd;	    /* not owned */
	short events;
	bool has_fired;
};

struct watch {
	int signal_fd;	/* -1: not open */
	int failure_fd; /* of the flag that a writer raises; -1: none; not owned */
	int limit_fd;	/* of the size limit; -1: none; not owned */
	int supply_fd;	/* of the supply of buffers; -1: none; not owned */
	int control_fd; /* -1: none; not owned */
	int switch_fd;	/* of the size of --switch-output; -1: none; not owned */
	int saved_fd;	/* of the runner of -M; -1: none; not owned */
	int socket_fd;	/* of control_socket.h; -1: none; not owned */
	struct watch_more more[WATCH_MORE_MAX];
	size_t nr_more;
	int cpus_fd;	   /* of hotplug.h; -1: none; not owned */
	int targets_fd;	   /* of the lifeline; -1: none; not owned */
	int signal;	   /* the last one that asked to end; 0: none */
	int switch_signal; /* the last one of SIGUSR1 and SIGUSR2; 0: none */
};

/*
 * Blocks what the recorder reads from descriptors, and what must not end it: SIGPIPE, SIGUSR1,
 * SIGUSR2. A file that would become larger than RLIMIT_FSIZE (SIGXFSZ) fails like any other write.
 * Idempotent.
 */
int watch_block_signals(struct caller_state *s, struct ts_error *err);
/* Puts everything back; what asked to end and was not read yet is delivered now. */
void watch_restore_signals(struct caller_state *s);

/* Of the descriptors only that of signals; the caller puts in the others once they exist. */
int watch_open(struct watch *w, struct ts_error *err);
/* From now on SIGUSR1 and SIGUSR2 are events, too. */
int watch_switches(struct watch *w, struct ts_error *err);
/*
 * Waits for the next event, at most until deadline_ns (CLOCK_MONOTONIC, TS_TIME_NEVER). Returns an
 * enum watch_event, or -errno: the kernel does not let us wait.
 */
int watch_next(struct watch *w, uint64_t deadline_ns, struct ts_error *err);
/*
 * Waits for signals and children only, without any descriptor: what watch_next() needs may be what
 * the recording failed with. WATCH_SIGNAL, WATCH_CHILD or -errno.
 */
int watch_next_signal(struct watch *w, struct ts_error *err);
void watch_close(struct watch *w); /* accepts { .signal_fd = -1 } */

#endif
