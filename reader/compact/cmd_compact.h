/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream compact`: copies a capture without its stack dumps.
 *
 * Threads: main thread.
 */
#ifndef TS_READER_COMPACT_CMD_COMPACT_H
#define TS_READER_COMPACT_CMD_COMPACT_H

#include "common/options/command_line.h"

/* argv[0] is "compact". Returns the exit status. */
int cmd_compact(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_compact_line;

#endif
