/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the running kernel's symbols while the capture is scanned.
 *
 * The kernel writes /proc/kallsyms anew for each reader, line by line: 20 ms for 120,000 symbols,
 * before any of them can be looked up. Nearly every capture of events that count in the kernel
 * needs them. So a thread reads them from the moment that the header is known. The first thread
 * that needs them waits for the rest.
 *
 * Threads: start, take and end belong to the thread that owns the struct, but symbol_ahead_take()
 * may be called by any one thread between them, once.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_AHEAD_H
#define TS_READER_SYMBOLS_SYMBOL_AHEAD_H

#include "common/base/error.h"
#include "common/base/thread.h"
#include "common/perf/header.h"
#include "reader/symbols/symbol_table.h"

struct symbol_ahead {
	bool is_started;
	_Atomic bool is_reading; /* any thread, relaxed: a thread that takes it now waits */
	struct ts_thread thread;
	/* the thread's until it is joined */
	struct symbol_table table;
	int rc;
	struct ts_error err;
};

/*
 * Does nothing if no event counts in the kernel, if the capture is of another kernel, or if no
 * thread can be started.
 */
void symbol_ahead_start(struct symbol_ahead *a, const struct ts_header *header);
/*
 * Waits for the symbols and moves them into an empty table. *ret_rc and *err are then the results
 * of reading them. False: it was never started, or the symbols were taken before.
 */
bool symbol_ahead_take(struct symbol_ahead *a, struct symbol_table *t, int *ret_rc,
		       struct ts_error *err);
void symbol_ahead_end(struct symbol_ahead *a); /* accepts a zeroed one; idempotent */

#endif
