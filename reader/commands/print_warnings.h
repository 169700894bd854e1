/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings of parts of a reader that went on nevertheless: the part fills a list, and the command
 * prints it.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_COMMANDS_PRINT_WARNINGS_H
#define TS_READER_COMMANDS_PRINT_WARNINGS_H

#include "common/base/notes.h"

/* Prints each warning and empties the list, so that a later call prints only newer warnings. */
void print_warnings(struct ts_notes *warnings);

#endif
