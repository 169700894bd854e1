/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With -v: how much memory was moved to files.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_COMMANDS_PRINT_MEMORY_H
#define TS_READER_COMMANDS_PRINT_MEMORY_H

#include "reader/runtime/memory_limit.h"

/* Prints the largest amount that was in files; prints nothing if all memory fitted. */
void print_memory(const struct memory *s);

#endif
