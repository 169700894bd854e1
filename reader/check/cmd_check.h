/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream check`: is a capture as it was written?
 *
 * Threads: main thread only.
 */
#ifndef TS_READER_CHECK_CMD_CHECK_H
#define TS_READER_CHECK_CMD_CHECK_H

#include "common/options/command_line.h"

/*
 * Runs the command; argv[0] is its name. Returns the exit status: 0 sound, 1 damaged or failed,
 * 2 usage.
 */
int cmd_check(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_check_line;

#endif
