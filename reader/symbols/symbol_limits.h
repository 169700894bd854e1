/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of reading symbols: the memory that all tables of a capture take together, and when to
 * stop.
 *
 * A table asks before it grows. If there is no room, it is refused as a whole: its module has no
 * symbols, and the command says so at its end.
 *
 * Threads: symbol_limits_init() before the first table; the others by any thread at any time.
 */
#ifndef TS_READER_SYMBOLS_SYMBOL_LIMITS_H
#define TS_READER_SYMBOLS_SYMBOL_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "reader/runtime/memory.h"
#include "reader/runtime/progress.h"

struct symbol_limits { /* NULL, here and below: there are none */
	/* constant after symbol_limits_init() */
	struct memory *memory;		 /* its limit applies; NULL: none */
	const struct progress *progress; /* reading ends when it is stopped; or NULL */

	/* any thread, relaxed */
	_Atomic uint64_t taken_bytes;
	_Atomic uint64_t granted_bytes; /* up to here nobody needs to be asked */
};

void symbol_limits_init(struct symbol_limits *l, struct memory *memory,
			const struct progress *progress);
/*
 * Counts memory that a table is about to take; false: there is no room, and nothing was counted. All
 * tables together may have twice the table of a usual kernel under any limit.
 */
bool symbol_limits_take(struct symbol_limits *l, uint64_t bytes);
void symbol_limits_give(struct symbol_limits *l, uint64_t bytes); /* of those that were taken */
/* Words the refusal of the symbols of `what`. Returns -MEMORY_REFUSED. */
int symbol_limits_refuse(const char *what, struct ts_error *err);

#endif
