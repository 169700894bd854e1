/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command that reads captures has from its options on to its exit status: how much memory it may
 * use, how far it is, ^C, and a sentence where memory that is a file cannot be had.
 *
 *	session_begin()
 *	session_watch()     from here on ^C stops the reading; a terminal is shown how far it is
 *	...                 workers of nr_workers threads ask progress, and take memory of spill
 *	session_unwatch()   from here on ^C ends the process
 *	session_end()
 *
 * Threads: main thread; progress and spill say what others may do with them.
 */
#ifndef TS_READER_COMMANDS_SESSION_H
#define TS_READER_COMMANDS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "reader/commands/interrupt_thread.h"
#include "reader/runtime/progress.h"
#include "reader/runtime/spill_limit.h"

#define SESSION_STOPPED 130 /* exit status after ^C: 128 + SIGINT, as a shell says it */

struct session {
	struct progress progress;
	struct spill spill;
	unsigned int nr_workers;
	/* session's own */
	struct interrupt_thread vigil;
};

/* What -q and -v ask for. */
static inline enum ts_log_level session_level(bool is_quiet, bool is_verbose)
{
	return is_verbose ? TS_LOG_VERBOSE : is_quiet ? TS_LOG_QUIET : TS_LOG_NORMAL;
}

/* mem_limit: bytes. nr_jobs: how many threads; 0: one a CPU. Before there are threads. */
int session_begin(struct session *s, uint64_t mem_limit, uint64_t nr_jobs, enum ts_log_level level,
		  struct ts_error *err);
/* draws: show how far it is, where stderr is a terminal. */
void session_watch(struct session *s, bool draws);
void session_unwatch(struct session *s); /* idempotent */
/* What was stopped goes on: the next ^C is for what comes now. */
int session_restart(struct session *s, struct ts_error *err);
/* After session_begin(), also where that failed; all blocks of its memory were freed. */
void session_end(struct session *s);

#endif
