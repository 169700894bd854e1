/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running kernel's symbols, read while the capture is scanned.
 *
 * The kernel writes /proc/kallsyms anew for each reader, line by line: 20 ms for 120,000 symbols,
 * before any of them can be looked up. Nearly every capture of events that count in the kernel needs
 * them, so a thread fetches them from the moment that the header is known, and whoever needs them
 * first waits for what is left.
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
	_Atomic bool is_reading; /* any thread, relaxed: whoever takes it now waits */
	struct ts_thread thread;
	/* the thread's until it is joined */
	struct symbol_table table;
	int rc;
	struct ts_error err;
};

/*
 * Does nothing where no event counts in the kernel, where the capture is of another kernel, or no
 * thread can be had.
 */
void symbol_ahead_start(struct symbol_ahead *a, const struct ts_header *header);
/*
 * Waits for the symbols and moves them into an empty table; then *ret_rc and *err are what reading
 * them returned. False: it was never started, or they were taken before.
 */
bool symbol_ahead_take(struct symbol_ahead *a, struct symbol_table *t, int *ret_rc,
		       struct ts_error *err);
void symbol_ahead_end(struct symbol_ahead *a); /* accepts a zeroed one; idempotent */

#endif
