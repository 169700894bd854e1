/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session of a command that reads captures, from its options to its exit status: memory limit,
 * progress, ^C, and the sentence about SIGBUS (sigbus.h).
 *
 *	session_begin()
 *	session_watch()     from here on ^C stops the reading, and a terminal shows progress
 *	...                 nr_workers workers check progress and allocate from memory
 *	session_unwatch()   from here on ^C ends the process
 *	session_end()
 *
 * Threads: main thread; progress.h and memory.h say what other threads may do.
 */
#ifndef TS_READER_COMMANDS_SESSION_H
#define TS_READER_COMMANDS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "reader/commands/interrupt_thread.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/memory_limit.h"

struct session {
	struct progress progress;
	struct memory memory;
	unsigned int nr_workers;
	/* private */
	struct interrupt_thread interrupt;
};

/* The log level of -q and -v. */
static inline enum ts_log_level session_level(bool is_quiet, bool is_verbose)
{
	return is_verbose ? TS_LOG_VERBOSE : is_quiet ? TS_LOG_QUIET : TS_LOG_NORMAL;
}

/*
 * mem_limit: bytes. nr_jobs: number of threads; 0: one per CPU. Call it before any thread starts.
 */
int session_begin(struct session *s, uint64_t mem_limit, uint64_t nr_jobs, enum ts_log_level level,
		  struct ts_error *err);
/* draws: show the progress if stderr is a terminal. */
void session_watch(struct session *s, bool draws);
void session_unwatch(struct session *s); /* idempotent */
/* Clears the stop after a ^C, so that work goes on and the next ^C stops that work. */
int session_restart(struct session *s, struct ts_error *err);
/* Call it after session_begin(), even if that failed, when all blocks of its memory are freed. */
void session_end(struct session *s);

#endif
