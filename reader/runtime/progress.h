/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of its work a reader has done, for the user who waits, and whether the reader must stop.
 *
 * The loops over chunks count each finished chunk here, and ask whether to take another one. Work
 * comes in stages, each with a name and a number of bytes. Nothing here prints or waits:
 * interrupt_thread.h does.
 *
 * Threads: progress_begin() may be called between two runs of workers only; the other functions by
 * any thread at any time. All functions accept NULL, if nobody shows the progress.
 */
#ifndef TS_READER_RUNTIME_PROGRESS_H
#define TS_READER_RUNTIME_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/stop.h"
#include "common/base/terminal.h"

struct progress {
	struct ts_stop stop; /* shared: ordering note 2 of docs/threads.md */
	/* any thread: relaxed counters */
	_Atomic(const char *) what;  /* of this stage; NULL: none has begun */
	_Atomic(const char *) aside; /* what the stage waits for now; NULL: nothing */
	_Atomic uint64_t done_bytes, total_bytes, began_ns;
};

int progress_init(struct progress *p, struct ts_error *err);
void progress_release(struct progress *p); /* idempotent after init */

/*
 * Begins a stage with this name ("Counting samples") and so many bytes of work; 0: unknown, so only
 * the time is shown. `what` must stay valid.
 */
void progress_begin(struct progress *p, const char *what, uint64_t total_bytes);
void progress_add(struct progress *p, uint64_t bytes);
/*
 * The stage waits for `aside` ("asking a server") until a call with NULL. `aside` must stay valid.
 */
void progress_wait(struct progress *p, const char *aside);
bool progress_is_stopped(const struct progress *p);
/* The share of the stage that is done, 0 to 100. */
double progress_percent(const struct progress *p);

struct progress_facts {
	const char *what, *aside;
	uint64_t done_bytes, total_bytes;
	uint64_t taken_ns; /* since the stage began */
};

/*
 * The state of the stage at a time (CLOCK_MONOTONIC). False: no stage has begun.
 */
bool progress_look(const struct progress *p, uint64_t now_ns, struct progress_facts *ret);
/* The text for a terminal, at most columns - 1 characters, so the line cannot wrap. Returns buf. */
const char *progress_text(char buf[TS_TERMINAL_LINE_BYTES], const struct progress_facts *f,
			  size_t columns);

#endif
