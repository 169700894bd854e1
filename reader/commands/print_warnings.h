/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a part of a reader could not use or do, though it went on: it filled a list, and the command
 * prints it.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_COMMANDS_PRINT_WARNINGS_H
#define TS_READER_COMMANDS_PRINT_WARNINGS_H

#include "common/base/notes.h"

/* Warns of each and empties the list; so what is added later can be printed by the next call. */
void print_warnings(struct ts_notes *warnings);

#endif
