/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How every command begins: its command line is read, and what is to be printed of that is printed, in
 * the same words for all: --help on stdout; what is wrong, with a remedy, and what changes nothing, on
 * stderr.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_COMMON_OPTIONS_PRINT_COMMAND_H
#define TS_COMMON_OPTIONS_PRINT_COMMAND_H

#include "common/options/command_line.h"

#define TS_COMMAND_GOES_ON (-1)
#define TS_STATUS_MISUSE   2 /* of a process that was not told what it can do */

/*
 * Reads argv[1] and what follows into *options, which has its defaults. Returns TS_COMMAND_GOES_ON, or the
 * exit status: 0 after help, TS_STATUS_MISUSE, 1 where there is no memory.
 */
int ts_print_command(const struct ts_command *command, void *options, int argc, char **argv);
/* The text of --help on stdout; the exit status. */
int ts_print_command_help(const struct ts_command *command);

#endif
