/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a reader has come, for whoever waits for it, and whether it is to stop.
 *
 * The loops over chunks tell of each one that is done and ask whether to take another. Work comes in
 * stages, each with a name and a number of bytes. Nothing here prints or waits: interrupt_thread.h does.
 *
 * Threads: progress_begin() between the runs of workers; the rest from any thread at any time. All
 * functions accept NULL, where nobody looks.
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
	_Atomic(const char *) aside; /* what is waited for meanwhile; NULL: nothing */
	_Atomic uint64_t done_bytes, total_bytes, began_ns;
};

int progress_init(struct progress *p, struct ts_error *err);
void progress_release(struct progress *p); /* idempotent after init */

/* A stage begins: "Counting samples", of so many bytes. `what` stays valid. */
void progress_begin(struct progress *p, const char *what, uint64_t total_bytes);
void progress_add(struct progress *p, uint64_t bytes);
/* "asking a server": the stage waits for that, until it is told NULL. `aside` stays valid. */
void progress_wait(struct progress *p, const char *aside);
bool progress_is_stopped(const struct progress *p);
/* How much of the stage is done, 0 to 100. */
double progress_percent(const struct progress *p);

struct progress_facts {
	const char *what, *aside;
	uint64_t done_bytes, total_bytes;
	uint64_t taken_ns; /* since the stage began */
};

/* The same as it stands at a time (CLOCK_MONOTONIC). False: there is nothing to tell. */
bool progress_look(const struct progress *p, uint64_t now_ns, struct progress_facts *ret);
/* The words, at most columns - 1 of them, so that the line cannot wrap. Returns buf. */
const char *progress_text(char buf[TS_TERMINAL_LINE_BYTES], const struct progress_facts *f,
			  size_t columns);

#endif
