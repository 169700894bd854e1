/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `tstream ctl`: sends a command to a recorder and prints the answer.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CMD_CTL_H
#define TS_STREAMER_CONTROL_CMD_CTL_H

#include "common/options/command_line.h"

/* argv[0] is the name of the command. Returns the exit status: 0; 1: not done; 2: usage. */
int cmd_ctl(int argc, char **argv);

/* The command line of `tstream ctl`. */
extern const struct ts_command cmd_ctl_line;

#endif
