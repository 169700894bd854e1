/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream script`: prints every sample of a capture as text, in the order of time.
 *
 * Threads: main thread only; it starts and joins workers.
 */
#ifndef TS_READER_SCRIPT_CMD_SCRIPT_H
#define TS_READER_SCRIPT_CMD_SCRIPT_H

#include "common/options/command_line.h"

/* Returns the exit status: 0 sound, 1 failure or damage, 2 usage, 130 stopped by ^C. */
int cmd_script(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_script_line;

#endif
