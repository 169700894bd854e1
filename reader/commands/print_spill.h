/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command says with -v of memory that was moved to files.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_COMMANDS_PRINT_SPILL_H
#define TS_READER_COMMANDS_PRINT_SPILL_H

#include "reader/runtime/spill_limit.h"

/* How much went to files at most; nothing where all of it fitted. */
void print_spill(const struct spill *s);

#endif
