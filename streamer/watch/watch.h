/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread waits here while writers work. It waits for signals, the command's end, the end
 * of the recorded tasks, a writer's failure, control commands, the end of a delay and the other
 * events below.
 *
 * The process first calls watch_block_signals(), before it forks the command and before threads
 * start: so only the signalfd gets the signals. Then it calls watch_open(), and watch_next() in a
 * loop. The watch has no timer of its own: the main thread of an idle recorder sleeps.
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
	WATCH_TARGETS,	/* targets_fd is readable: a recorded task may be gone */
	WATCH_FAILURE,	/* a writer failed */
	WATCH_LIMIT,	/* --max-size is reached */
	WATCH_CPUS,	/* the kernel sent a message of a device, perhaps a CPU */
	WATCH_SUPPLY,	/* a writer asks for buffers */
	WATCH_GAP,	/* a writer found side-band lost */
	WATCH_FILES,	/* a writer saw maps of unknown files */
	WATCH_CONTROL,	/* a control command has arrived */
	WATCH_SOCKET,	/* the same, on the socket */
	WATCH_SWITCH,	/* SIGUSR1 or SIGUSR2: watch.switch_signal */
	WATCH_SIZE,	/* the size of --switch-output is reached */
	WATCH_SAVED,	/* a snapshot of -M is written */
	WATCH_MORE,	/* an item of watch.more has_fired */
	WATCH_DEADLINE, /* the deadline is reached */
};

#define WATCH_MORE_MAX 8

struct watch_more { /* of triggers; polling may be the only sign, so it is kept until it is taken */
	int fd;	    /* not owned */
	short events;
	bool has_fired;
};

struct watch {
	int signal_fd;	/* -1: not open */
	int failure_fd; /* of the failure flag of writers; -1: none; not owned */
	int limit_fd;	/* of the size limit; -1: none; not owned */
	int supply_fd;	/* of the supply of buffers; -1: none; not owned */
	int gap_fd;	/* of sideband_gap.h; -1: none; not owned */
	int files_fd;	/* of the build-ids of mapped files; -1: none; not owned */
	int control_fd; /* -1: none; not owned */
	int switch_fd;	/* of the size of --switch-output; -1: none; not owned */
	int saved_fd;	/* of the runner of -M; -1: none; not owned */
	int socket_fd;	/* of control_socket.h; -1: none; not owned */
	struct watch_more more[WATCH_MORE_MAX];
	size_t nr_more;
	int cpus_fd;	   /* of hotplug.h; -1: none; not owned */
	int targets_fd;	   /* of target_life.h; -1: none; not owned */
	int signal;	   /* the last signal that asked to end; 0: none */
	int switch_signal; /* the last of SIGUSR1 and SIGUSR2; 0: none */
};

/*
 * Blocks the signals that the recorder reads from descriptors, and those that must not end it:
 * SIGPIPE, SIGUSR1, SIGUSR2. SIGXFSZ is ignored, so a write beyond RLIMIT_FSIZE fails like any
 * other write. Idempotent.
 */
int watch_block_signals(struct caller_state *s, struct ts_error *err);
/* Restores all signals. A pending signal that asks to end and was not read yet is delivered now. */
void watch_restore_signals(struct caller_state *s);

/* Opens only the descriptor of signals. The caller sets the others once they exist. */
int watch_open(struct watch *w, struct ts_error *err);
/* From now on SIGUSR1 and SIGUSR2 are events, too. */
int watch_switches(struct watch *w, struct ts_error *err);
/*
 * Waits for the next event, at most until deadline_ns (CLOCK_MONOTONIC, TS_TIME_NEVER). Returns an
 * enum watch_event, or -errno if the kernel refuses to wait.
 */
int watch_next(struct watch *w, uint64_t deadline_ns, struct ts_error *err);
/*
 * Waits for signals and children only, without any descriptor: the recording may have failed
 * because of the descriptors of watch_next(). Returns WATCH_SIGNAL, WATCH_CHILD or -errno.
 */
int watch_next_signal(struct watch *w, struct ts_error *err);
void watch_close(struct watch *w); /* accepts { .signal_fd = -1 } */

#endif
