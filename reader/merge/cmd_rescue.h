/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `tstream rescue`: makes a capture from the segments that a killed recorder held in
 * memory (record -M).
 *
 * Threads: main thread; it may start workers.
 */
#ifndef TS_READER_MERGE_CMD_RESCUE_H
#define TS_READER_MERGE_CMD_RESCUE_H

#include "common/options/command_line.h"

/* argv[0] is the name of the command. Returns the exit status: 0; 1 failure or damage; 2 usage. */
int cmd_rescue(int argc, char **argv);

/* Its command line. */
extern const struct ts_command cmd_rescue_line;

#endif
