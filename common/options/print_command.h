/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning of every command: its command line is read, and the results are printed in the same
 * words for all commands. The text of --help goes to stdout. Errors with a remedy, and notes on
 * options that change nothing, go to stderr.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_COMMON_OPTIONS_PRINT_COMMAND_H
#define TS_COMMON_OPTIONS_PRINT_COMMAND_H

#include "common/options/command_line.h"

#define TS_COMMAND_GOES_ON (-1)
#define TS_STATUS_MISUSE   2 /* exit status of a command line that cannot be read */

/*
 * Reads argv[1] and the words behind it into *options, which holds the defaults. Returns
 * TS_COMMAND_GOES_ON, or the exit status: 0 after help, TS_STATUS_MISUSE, 1 if there is no memory.
 */
int ts_print_command(const struct ts_command *command, void *options, int argc, char **argv);
/* Prints the text of --help on stdout; returns the exit status. */
int ts_print_command_help(const struct ts_command *command);

#endif
