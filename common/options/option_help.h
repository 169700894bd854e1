/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of --help, made from the rows of a command:
 *
 *	Usage: tstream record [OPTION...] [--] [COMMAND [ARGUMENT...]]
 *	Records events of this machine with parallel writers into a directory that perf reads.
 *
 *	Whom:    -a, --all-cpus           everything on every CPU, until ^C or COMMAND ends
 *	         -p, --pid PIDS           processes and what they start; -t, --tid TIDS  threads
 *
 * A row stands on a line of its own. It stands beside the row before it if its table asks for that
 * and there is room.
 *
 * Threads: main thread.
 */
#ifndef TS_COMMON_OPTIONS_OPTION_HELP_H
#define TS_COMMON_OPTIONS_OPTION_HELP_H

#include "common/base/bytes.h"
#include "common/options/command_line.h"

/* Appends the text. Out of memory: ts_bytes_failed(). */
void ts_option_help(const struct ts_command *command, struct ts_bytes *out);

#endif
